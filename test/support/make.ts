import { randomBytes } from 'node:crypto';
import { mintKey } from '@paymount/core/access';

/** A key ring of one run; nothing that looks like a key is in the repository. */
export function makeSealingKeys(): { kid: string; key: string }[] {
  return [{ kid: 'test', key: randomBytes(32).toString('base64') }];
}

/** A secret key of the right form that nobody was given. */
export function makeUnknownKey(): string {
  return mintKey('secret', 'test');
}
