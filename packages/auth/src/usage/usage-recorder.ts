import type { Clock, KeyId, KeyUsageStore, Logger } from '@paymount/core';
import { KeyTally, type Use } from './key-tally.ts';

/** What a crash loses at most. */
const FLUSH_EVERY_MS = 10_000;
/** Keys of one statement. */
const BATCH = 1000;
/** Keys that are held at most, when flushing fails for long; further ones are not recorded. */
const MAX_KEYS = 100_000;
/** A database that hangs must not hold up a shutdown. */
const CLOSE_LIMIT_MS = 3_000;

export interface UsageRecorderPorts {
  readonly usage: Pick<KeyUsageStore, 'flush'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * What keys are used for, kept in memory and written behind the requests: one statement every
 * 10 s of use and one at shutdown. No request writes, and an idle process does nothing.
 */
export class UsageRecorder {
  readonly #ports: UsageRecorderPorts;
  readonly #flushEveryMs: number;
  #tallies = new Map<KeyId, KeyTally>();
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> | undefined;
  #failing = false;
  #closed = false;

  constructor(ports: UsageRecorderPorts, flushEveryMs = FLUSH_EVERY_MS) {
    this.#ports = ports;
    this.#flushEveryMs = flushEveryMs;
  }

  /** Notes one answer to a key. No I/O, and less than a microsecond. */
  record(keyId: KeyId, use: Use): void {
    if (this.#closed) return;
    let tally = this.#tallies.get(keyId);
    if (tally === undefined) {
      if (this.#tallies.size >= MAX_KEYS) return;
      tally = new KeyTally(keyId);
      this.#tallies.set(keyId, tally);
      this.#schedule();
    }
    tally.add(use, this.#ports.clock.now().getTime());
  }

  /**
   * Writes down what was recorded. What cannot be written is kept for the next time.
   * Never rejects.
   */
  flush(): Promise<void> {
    this.#flushing ??= this.#write().finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  /** Flushes once more, for at most 3 s, and records nothing from now on. Twice is harmless. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSE_LIMIT_MS);
    });
    const written = async (): Promise<void> => {
      // One that runs already holds only what was recorded before it began.
      await this.#flushing;
      await this.flush();
    };
    await Promise.race([written(), limit]);
    clearTimeout(timer);
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#closed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.flush();
    }, this.#flushEveryMs);
    this.#timer.unref();
  }

  async #write(): Promise<void> {
    const tallies = [...this.#tallies.values()];
    this.#tallies = new Map();
    for (let start = 0; start < tallies.length; start += BATCH) {
      const batch = tallies.slice(start, start + BATCH);
      try {
        await this.#ports.usage.flush(batch.map((tally) => tally.toUse()));
        this.#failing = false;
      } catch (cause) {
        this.#keep(tallies.slice(start), cause);
        return;
      }
    }
  }

  #keep(unwritten: readonly KeyTally[], cause: unknown): void {
    if (!this.#failing) {
      const err = cause instanceof Error ? cause : new Error(String(cause));
      this.#ports.logger.warn({ err }, 'The use of keys cannot be written; it is kept for later.');
    }
    this.#failing = true;
    for (const older of unwritten) {
      const tally = this.#tallies.get(older.keyId);
      if (tally !== undefined) tally.merge(older);
      else if (this.#tallies.size < MAX_KEYS) this.#tallies.set(older.keyId, older);
    }
    this.#schedule();
  }
}
