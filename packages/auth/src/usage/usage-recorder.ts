import type { KeyUsageStore } from '@paymount/core/access';
import { type Clock, isError, type KeyId, type Logger, within } from '@paymount/core/kernel';
import { KeyTally, type Use } from './key-tally.ts';

/** What a crash loses at most. */
const FLUSH_EVERY_MS = 10_000;
/** Rows of one statement, of keys, hours and addresses; fewer after one that failed. */
const MAX_ROWS = 5_000;
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
 * What keys are used for, kept in memory and written behind the requests: every 10 s of use and at
 * shutdown. No request writes, and an idle process does nothing.
 *
 * A batch that cannot be written comes last the next time, and batches are half as large until one
 * succeeds. Of a single key that cannot be written the addresses are given up, if that helps.
 */
export class UsageRecorder {
  readonly #ports: UsageRecorderPorts;
  readonly #flushEveryMs: number;
  #tallies = new Map<KeyId, KeyTally>();
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> | undefined;
  #failing = false;
  #batchRows = MAX_ROWS;
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
   * Writes down all that was recorded before the call. What cannot be written is kept for the next
   * time. Never rejects.
   */
  async flush(): Promise<void> {
    // One that runs already holds only what was recorded before it began.
    if (this.#flushing !== undefined) await this.#flushing;
    this.#flushing ??= this.#write().finally(() => {
      this.#flushing = undefined;
    });
    await this.#flushing;
  }

  /** Flushes once more, for at most 3 s, and records nothing from now on. Twice is harmless. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await within(this.flush(), CLOSE_LIMIT_MS).catch(() => undefined);
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
    for (let start = 0; start < tallies.length; ) {
      const batch = this.#batch(tallies, start);
      start += batch.length;
      try {
        await this.#writeBatch(batch);
        this.#failing = false;
        this.#batchRows = Math.min(2 * this.#batchRows, MAX_ROWS);
      } catch (cause) {
        this.#batchRows = Math.max(1, Math.floor(this.#batchRows / 2));
        this.#keep([...tallies.slice(start), ...batch], cause);
        return;
      }
    }
  }

  /** From one key on, as many as fit; always that one. */
  #batch(tallies: readonly KeyTally[], start: number): readonly KeyTally[] {
    let end = start;
    for (let rows = 0; end < tallies.length; end += 1) {
      rows += tallies[end]?.rows ?? 0;
      if (rows > this.#batchRows && end > start) break;
    }
    return tallies.slice(start, end);
  }

  async #writeBatch(batch: readonly KeyTally[]): Promise<void> {
    const uses = batch.map((tally) => tally.toUse());
    try {
      await this.#ports.usage.flush(uses);
    } catch (cause) {
      if (uses.length > 1 || uses[0]?.addresses.length === 0) throw cause;
      await this.#ports.usage.flush(uses.map((use) => ({ ...use, addresses: [] })));
    }
  }

  #keep(unwritten: readonly KeyTally[], cause: unknown): void {
    if (!this.#failing) {
      const err = isError(cause) ? cause : new Error(String(cause));
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
