import {
  hasMadeKey,
  loadSealingKeys,
  type SealingKeys,
  SecretBox,
  toSealingKeys,
} from '@paymount/auth';
import type { Logger } from '@paymount/core/kernel';
import type { Finding, Stores } from '@paymount/core/store';
import { systemClock } from '../../adapters/system-clock.ts';
import { assertSecretsOpen } from '../../parts/stored-secrets.ts';
import { describeFailure } from '../describe-failure.ts';
import type { Settings } from '../settings.ts';

const SUBJECT = 'keys';
const SILENT: Pick<Logger, 'warn'> = { warn: () => undefined };

/** Where the sealing keys come from. */
export interface KeySource extends Pick<Settings, 'sealingKeys'> {
  /** Whether the options of the app are known; without them, it may use other keys. */
  readonly hasOptions: boolean;
}

/** Whether the sealing keys open the stored secrets; at startup, a process checks the same. */
export async function examineKeys(
  source: KeySource,
  { sealed }: Pick<Stores, 'sealed'>,
): Promise<readonly Finding[]> {
  try {
    const ring = await loadRing(source);
    if (ring === undefined)
      return [
        unknownKeys(
          source,
          (await sealed.samples()).map(({ kid }) => kid),
        ),
      ];
    await assertSecretsOpen({ sealed, ring, sealer: new SecretBox(ring) });
    return [{ subject: SUBJECT, verdict: 'ok', message: 'They open the stored secrets.' }];
  } catch (error) {
    const isCertain = source.hasOptions || source.sealingKeys !== undefined;
    const { message } = describeFailure(error);
    return [{ subject: SUBJECT, verdict: isCertain ? 'problem' : 'warning', message }];
  }
}

/** @returns undefined without keys; unlike a process, a command never makes one */
async function loadRing({ sealingKeys }: KeySource): Promise<SealingKeys | undefined> {
  if (sealingKeys !== undefined) return toSealingKeys(sealingKeys, systemClock);
  if (!(await hasMadeKey())) return undefined;
  return loadSealingKeys({ environment: 'test', clock: systemClock, logger: SILENT });
}

function unknownKeys({ hasOptions }: KeySource, kids: readonly string[]): Finding {
  if (kids.length === 0) {
    return { subject: SUBJECT, verdict: 'ok', message: 'No secret is stored yet.' };
  }
  const names = [...new Set(kids)]
    .sort()
    .map((kid) => JSON.stringify(kid))
    .join(', ');
  const needed = `What is stored was sealed by ${names}.`;
  if (hasOptions) {
    const message = `The options have no sealingKeys, and this folder has no .paymount/keys. ${needed} Pass the keys that your app uses.`;
    return { subject: SUBJECT, verdict: 'problem', message };
  }
  const message = `Not checked. ${needed} Set PAYMOUNT_KEYS, or pass --config.`;
  return { subject: SUBJECT, verdict: 'warning', message };
}
