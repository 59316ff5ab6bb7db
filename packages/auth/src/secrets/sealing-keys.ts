import { PaymountError, type Secret } from '@paymount/core/kernel';

/** A key that seals, as it is held in memory. */
export interface SealingKey {
  readonly kid: string;
  /** 32 bytes. */
  readonly key: Secret<Uint8Array>;
}

/** The keys that seal secrets at rest: the host's ring, or a key service behind a cache. */
export interface SealingKeys {
  /** The key that seals from now on. @throws PaymountError `unavailable` */
  current(): Promise<SealingKey>;
  /** @returns undefined when there is no such key. @throws PaymountError `unavailable` */
  byKid(kid: string): Promise<SealingKey | undefined>;
  /** Made by this program for the test environment; nothing of live is sealed with such keys. */
  readonly generated: boolean;
}

/** The line that passes a key, as a host pastes it: it compiles under `strict`. */
export const SEALING_KEYS_LINE =
  "sealingKeys: [{ kid: '2026', key: process.env['SEALING_KEY'] ?? '' }]";
/** The command that makes a key. */
export const MAKE_SEALING_KEY = 'openssl rand -base64 32';

const NO_LIVE_KEYS =
  `The live environment needs your own sealing keys. Pass ${SEALING_KEYS_LINE}. To make a key, ` +
  `run: ${MAKE_SEALING_KEY}. Keep it in your secret store: without it, stored secrets are lost.`;

/**
 * Called before anything live is mounted or sealed.
 * @throws PaymountError `sealing_keys_missing` when the keys were generated
 */
export function requireOwnKeys(keys: Pick<SealingKeys, 'generated'>): void {
  if (keys.generated) throw new PaymountError('sealing_keys_missing', NO_LIVE_KEYS);
}
