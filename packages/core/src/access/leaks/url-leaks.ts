import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from '../../kernel/basics/logger.ts';
import { toError } from '../../kernel/errors/to-error.ts';
import type { Secret } from '../../kernel/secrets/secret.ts';
import { findCredentials } from '../credentials/find-credentials.ts';
import { decodeLeniently } from '../credentials/key-format.ts';
import type { UrlExposure } from './exposure.ts';

/**
 * The maximum number in memory; further exposures are dropped, so that a flood of URLs slows nobody
 * down.
 */
const MAX_WAITING = 100;
/** A client that repeats its mistake is looked up once in this time. */
const MAX_REMEMBERED = 1_000;

/** The time between two batches, so that made-up credentials cost one transaction a second. */
const PAUSE_MS = 1_000;

export interface UrlLeaksPorts {
  /** As `reportUrls`, with its ports. */
  readonly report: (exposures: readonly UrlExposure[]) => Promise<void>;
  readonly logger: Logger;
}

/**
 * Credentials in the URL of a request, which logs on its way may contain. Their owner is notified
 * after the request was answered, in the background, one batch at a time; they are not revoked,
 * because nobody else is known to have read them.
 */
export class UrlLeaks {
  readonly #report: UrlLeaksPorts['report'];
  readonly #logger: Logger;
  readonly #waiting = new Map<string, UrlExposure>();
  /** By hash and route, the oldest first. */
  readonly #remembered = new Set<string>();
  #running: Promise<void> | undefined;
  readonly #closing = new AbortController();

  constructor({ report, logger }: UrlLeaksPorts) {
    this.#report = report;
    this.#logger = logger;
  }

  /**
   * Records a URL that contains a credential; returns immediately and never throws.
   * @param address path and query as they were sent
   * @param route its method and pattern, the only part of the URL that is stored
   */
  note(address: string, route: string): void {
    for (const { what, credential } of findCredentials(decodeLeniently(address))) {
      if (what.kind === 'key' && what.type === 'publishable') continue;
      this.#wait(`${what.hash().toString('hex')} ${route}`, credential, route);
    }
    if (this.#waiting.size > 0) this.#running ??= this.#run();
  }

  /** Records no more, and waits for the recorded ones. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  #wait(slot: string, credential: Secret<string>, url: string): void {
    if (
      this.#closing.signal.aborted ||
      this.#remembered.has(slot) ||
      this.#waiting.size >= MAX_WAITING
    )
      return;
    this.#waiting.set(slot, { credential, url });
  }

  async #run(): Promise<void> {
    // Never during the request.
    await new Promise(setImmediate);
    while (this.#waiting.size > 0) {
      await this.#reportWaiting();
      await wait(PAUSE_MS, undefined, { signal: this.#closing.signal, ref: false }).catch(
        () => undefined,
      );
    }
    this.#running = undefined;
  }

  async #reportWaiting(): Promise<void> {
    const batch = new Map(this.#waiting);
    this.#waiting.clear();
    for (const slot of batch.keys()) this.#remember(slot);
    try {
      await this.#report([...batch.values()]);
    } catch (error) {
      const err = toError(error);
      for (const slot of batch.keys()) this.#remembered.delete(slot);
      this.#logger.warn({ err }, 'A credential in a URL could not be recorded as a leak.');
    }
  }

  #remember(slot: string): void {
    this.#remembered.add(slot);
    if (this.#remembered.size <= MAX_REMEMBERED) return;
    const [oldest] = this.#remembered;
    if (oldest !== undefined) this.#remembered.delete(oldest);
  }
}
