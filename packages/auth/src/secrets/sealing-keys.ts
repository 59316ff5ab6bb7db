import { PaymountError, type Secret } from '@paymount/core';

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

const NO_LIVE_KEYS =
  'Live needs sealing keys of your own, because what a lost key sealed is lost. Pass ' +
  "sealingKeys: [{ kid: '2026', key }], where key is 32 random bytes in base64, from your secret store.";

/**
 * Called before anything live is mounted or sealed.
 * @throws PaymountError `sealing_keys_missing` when the keys were generated
 */
export function requireOwnKeys(keys: Pick<SealingKeys, 'generated'>): void {
  if (keys.generated) throw new PaymountError('sealing_keys_missing', NO_LIVE_KEYS);
}
