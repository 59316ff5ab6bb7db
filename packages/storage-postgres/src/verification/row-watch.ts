import { setTimeout as wait } from 'node:timers/promises';
import type { Session } from '../transaction/session.ts';
import { ROWS_PER_TICK, ticksSql } from './rule.ts';

const SECOND_MS = 1_000;

/**
 * Sees how many rows the scans of other connections have read, while they run. PostgreSQL tells nothing of
 * a statement before its first row, but it shows the name of each connection, where scans count.
 */
export class RowWatch {
  readonly #session: Session;
  readonly #onRows: (rows: ReadonlyMap<number, number>) => void;
  readonly #ended = new AbortController();
  #looking: Promise<void> | undefined;

  /**
   * @param session on the pool
   * @param onRows called about every second, with the rows that each server process has read
   */
  constructor(session: Session, onRows: (rows: ReadonlyMap<number, number>) => void) {
    this.#session = session;
    this.#onRows = onRows;
  }

  /** @param pids of the server processes that scan; it may grow */
  start(pids: () => readonly number[], everyMs: number = SECOND_MS): void {
    this.#looking = this.#look(pids, everyMs);
  }

  /** Waits for a look that is in progress. */
  async end(): Promise<void> {
    this.#ended.abort();
    await this.#looking;
  }

  async #look(pids: () => readonly number[], everyMs: number): Promise<void> {
    const { signal } = this.#ended;
    try {
      for (;;) {
        await wait(everyMs, undefined, { signal, ref: false });
        const { rows } = await this.#session.plain<{ pid: number; ticks: number; own: boolean }>(
          `SELECT pid, ${ticksSql('application_name')} AS ticks, pid = pg_backend_pid() AS own
            FROM pg_stat_activity WHERE pid = ANY ($1::integer[])`,
          [pids()],
        );
        // A storage of one session would only disturb its own scan.
        if (signal.aborted || rows.some(({ own }) => own)) return;
        this.#onRows(new Map(rows.map(({ pid, ticks }) => [pid, ticks * ROWS_PER_TICK])));
      }
    } catch {
      // Also if no connection is left: the scans go on, and tell when each has ended.
    }
  }
}
