import {
  type Clock,
  ExpiringMap,
  isError,
  PaymountError,
  withTimeout,
} from '@paymount/core/kernel';
import { isKid, type RingKey, toSealingKey } from './key-ring.ts';
import type { SealingKey, SealingKeys } from './sealing-keys.ts';

/**
 * Sealing keys that stay in a key service (a KMS, a vault): fetched on demand. Each call may take 5
 * s, and its result is cached for at most 60 s.
 */
export interface KeyProvider {
  /** The key that seals new secrets. */
  current(): RingKey | Promise<RingKey>;
  /** @returns undefined when there is no such key */
  byKid(kid: string): RingKey | undefined | Promise<RingKey | undefined>;
}

const NAME = 'PaymountKeyProviderError';

/** The host's key provider failed or was late; the cause of an `unavailable`. */
export class KeyProviderError extends Error {
  override readonly name = NAME;

  static is(value: unknown): value is KeyProviderError {
    return isError(value) && value.name === NAME;
  }
}

const ANSWER_LIMIT_MS = 5_000;
const HELD_MS = 60_000;
const MAX_HELD = 100;
const RETRY_AFTER_SECONDS = 5;
/** No name of a key has a blank. */
const CURRENT = 'the current key';

/**
 * A key service with a time limit and a short cache; concurrent calls for the same key are one
 * call.
 */
export class ProvidedKeys implements SealingKeys {
  readonly generated = false;
  readonly #provider: KeyProvider;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #held: ExpiringMap<string, SealingKey>;
  readonly #asked = new Map<string, Promise<SealingKey | undefined>>();

  constructor(provider: KeyProvider, clock: Pick<Clock, 'monotonicMs'>) {
    this.#provider = provider;
    this.#clock = clock;
    this.#held = new ExpiringMap({ clock, lifeMs: HELD_MS, max: MAX_HELD });
  }

  async current(): Promise<SealingKey> {
    const key = await this.#answer(CURRENT, () => this.#provider.current());
    if (key === undefined) throw new Error('The key provider has no current key.');
    return key;
  }

  async byKid(kid: string): Promise<SealingKey | undefined> {
    // Names come from stored headers, and may become part of a URL.
    if (!isKid(kid)) return undefined;
    const key = await this.#answer(kid, () => this.#provider.byKid(kid));
    if (key === undefined || key.kid === kid) return key;
    throw new Error(`The key provider was asked for the key ${kid} and gave ${key.kid}.`);
  }

  #answer(name: string, ask: Ask): SealingKey | undefined | Promise<SealingKey | undefined> {
    const held = this.#held.get(name);
    if (held !== undefined) return held;
    const running = this.#asked.get(name) ?? this.#ask(name, ask);
    this.#asked.set(name, running);
    return running;
  }

  async #ask(name: string, ask: Ask): Promise<SealingKey | undefined> {
    const sinceMs = this.#clock.monotonicMs();
    try {
      const given = await askProvider(ask);
      if (given === undefined) return undefined;
      const key = toSealingKey(given);
      this.#held.set(name, key, sinceMs);
      return key;
    } finally {
      this.#asked.delete(name);
    }
  }
}

type Ask = () => RingKey | undefined | Promise<RingKey | undefined>;

/** @throws PaymountError `unavailable` when the provider fails, or answers too late */
async function askProvider(ask: Ask): Promise<RingKey | undefined> {
  try {
    return await withTimeout(Promise.resolve(ask()), ANSWER_LIMIT_MS);
  } catch (error) {
    const reason = isError(error) ? error.message : String(error);
    const cause = new KeyProviderError(`The key provider failed: ${reason}`, { cause: error });
    throw new PaymountError('unavailable', undefined, {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      cause,
    });
  }
}
