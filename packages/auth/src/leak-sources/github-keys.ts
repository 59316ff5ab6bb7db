import type { KeyObject } from 'node:crypto';
import { type Clock, type Logger, PaymountError, toError } from '@paymount/core/kernel';
import type { FetchKeyList, KeyList } from './github-key-list.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Made-up identifiers cause a fetch once a minute, not for each request. */
const ASK_AGAIN_MS = MINUTE_MS;
/** A withdrawn key is accepted for at most this time, */
const FRESH_MS = HOUR_MS;
/** or, while the list cannot be fetched, this time. */
const STALE_MS = 24 * HOUR_MS;

export interface GithubKeysPorts {
  readonly fetchList: FetchKeyList;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly logger: Logger;
}

/** The keys that GitHub signs reports with, as one process knows them. */
export class GithubKeys {
  readonly #ports: GithubKeysPorts;
  #list: KeyList = { keys: new Map() };
  /** When the list was last confirmed to be current. */
  #currentAtMs = -Infinity;
  #askedAtMs = -Infinity;
  #failure: unknown;
  #asking: Promise<void> | undefined;

  constructor(ports: GithubKeysPorts) {
    this.#ports = ports;
  }

  /**
   * @returns undefined when no such key is published
   * @throws PaymountError `unavailable` if the list cannot be fetched
   */
  async find(id: string): Promise<KeyObject | undefined> {
    if (!this.#list.keys.has(id) || this.#ageMs() > FRESH_MS) await this.#askAgain();
    if (this.#ageMs() <= STALE_MS) {
      const key = this.#list.keys.get(id);
      if (key !== undefined) return key;
    }
    if (this.#failure === undefined) return undefined;
    throw new PaymountError(
      'unavailable',
      'The list of keys that sign reports cannot be fetched.',
      {
        retryAfterSeconds: ASK_AGAIN_MS / 1000,
      },
    );
  }

  #ageMs(): number {
    return this.#ports.clock.monotonicMs() - this.#currentAtMs;
  }

  /** Concurrent requests share one fetch. */
  #askAgain(): Promise<void> {
    if (this.#asking !== undefined) return this.#asking;
    if (this.#ports.clock.monotonicMs() - this.#askedAtMs < ASK_AGAIN_MS) return Promise.resolve();
    this.#asking = this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask(): Promise<void> {
    const { fetchList, clock, logger } = this.#ports;
    this.#askedAtMs = clock.monotonicMs();
    try {
      const list = await fetchList(this.#list.etag);
      if (list !== 'unchanged') this.#list = list;
      this.#currentAtMs = this.#askedAtMs;
      this.#failure = undefined;
    } catch (error) {
      this.#failure = error;
      const err = toError(error);
      logger.warn({ err }, 'The list of keys that sign leak reports could not be fetched.');
    }
  }
}
