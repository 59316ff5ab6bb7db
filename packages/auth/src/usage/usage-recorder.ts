import type { KeyUsageRepository, UsedId } from '@paymount/core/access';
import { type Clock, type Logger, toError, withTimeout } from '@paymount/core/kernel';
import { KeyUseCounter, type Use } from './key-use-counter.ts';

/** The maximum that a crash loses. */
const FLUSH_EVERY_MS = 10_000;
/** Rows of one statement, of keys, hours and addresses; fewer after one that failed. */
const MAX_ROWS = 5_000;
/** Maximum number of keys in memory, if flushing fails for long; further ones are not recorded. */
const MAX_KEYS = 100_000;
/** A database that hangs must not delay a shutdown. */
const CLOSE_LIMIT_MS = 3_000;

export interface UsageRecorderPorts {
  readonly usage: Pick<KeyUsageRepository, 'flush'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Records the usage of keys in memory and writes it in the background: every 10 s while keys are
 * used, and at shutdown. No request writes, and an idle process does nothing.
 *
 * A batch that cannot be written comes last the next time, and batches are half as large until one
 * succeeds. If a single key cannot be written, its addresses are dropped if that helps.
 */
export class UsageRecorder {
  readonly #ports: UsageRecorderPorts;
  readonly #flushEveryMs: number;
  #tallies = new Map<UsedId, KeyUseCounter>();
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> | undefined;
  #failing = false;
  #batchRows = MAX_ROWS;
  #closed = false;

  constructor(ports: UsageRecorderPorts, flushEveryMs = FLUSH_EVERY_MS) {
    this.#ports = ports;
    this.#flushEveryMs = flushEveryMs;
  }

  /** Records one answer to a key, or to a token of a grant. No I/O, and less than a microsecond. */
  record(keyId: UsedId, use: Use): void {
    if (this.#closed) return;
    let tally = this.#tallies.get(keyId);
    if (tally === undefined) {
      if (this.#tallies.size >= MAX_KEYS) return;
      tally = new KeyUseCounter(keyId);
      this.#tallies.set(keyId, tally);
      this.#schedule();
    }
    tally.add(use, this.#ports.clock.now().getTime());
  }

  /**
   * Writes all usage recorded before the call. Usage that cannot be written is kept for the next
   * time. Never rejects.
   */
  async flush(): Promise<void> {
    // A running flush contains only usage recorded before it began.
    if (this.#flushing !== undefined) await this.#flushing;
    this.#flushing ??= this.#write().finally(() => {
      this.#flushing = undefined;
    });
    await this.#flushing;
  }

  /** Flushes once more, for at most 3 s, and records nothing from now on. Safe to call twice. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await withTimeout(this.flush(), CLOSE_LIMIT_MS).catch(() => undefined);
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

  /** From one key on, as many as fit; at least that one. */
  #batch(tallies: readonly KeyUseCounter[], start: number): readonly KeyUseCounter[] {
    let end = start;
    for (let rows = 0; end < tallies.length; end += 1) {
      rows += tallies[end]?.rows ?? 0;
      if (rows > this.#batchRows && end > start) break;
    }
    return tallies.slice(start, end);
  }

  async #writeBatch(batch: readonly KeyUseCounter[]): Promise<void> {
    const uses = batch.map((tally) => tally.toUse());
    try {
      await this.#ports.usage.flush(uses);
    } catch (cause) {
      if (uses.length > 1 || uses[0]?.addresses.length === 0) throw cause;
      await this.#ports.usage.flush(uses.map((use) => ({ ...use, addresses: [] })));
    }
  }

  #keep(unwritten: readonly KeyUseCounter[], cause: unknown): void {
    if (!this.#failing) {
      const err = toError(cause);
      this.#ports.logger.warn(
        { err },
        'The usage of keys cannot be written; it is kept for later.',
      );
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
