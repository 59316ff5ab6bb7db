import { randomBytes } from 'node:crypto';

/** A key ring of one run; nothing that looks like a key is in the repository. */
export function makeSealingKeys(): { kid: string; key: string }[] {
  return [{ kid: 'test', key: randomBytes(32).toString('base64') }];
}
