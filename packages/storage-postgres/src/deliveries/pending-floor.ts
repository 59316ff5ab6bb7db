import type { ClaimDue } from '@paymount/core/events';
import { statement } from '../connection/statement.ts';
import type { Session } from '../transaction/session.ts';
import { BY_TIME, NOW, pendingSql } from './pending-rows.ts';

/** A row that commits this long after its due time is found at once. */
const MARGIN_MS = 5_000;
/** Rows that commit later, as in a host's long transaction, are found by reading without a floor. */
const FULL_EVERY_MS = 30_000;
/** Such a read may take this share of the time. */
const FULL_SHARE = 20;

interface FirstRow {
  readonly due_at: Date | null;
  readonly now: Date;
}

function firstSql(s: string, origin: ClaimDue['origin']): string {
  return `SELECT ${NOW} AS now, (SELECT d.due_at FROM ${pendingSql(s, origin)}
    AND ${BY_TIME} AND d.due_at >= $2::timestamptz ORDER BY d.due_at LIMIT 1) AS due_at`;
}

const FULL_LIMIT_MS = 60_000;
const firstStatements = {
  event: statement('pm_deliveries_first_v1', (s) => firstSql(s, 'event'), FULL_LIMIT_MS),
  replay: statement('pm_deliveries_first_replay_v1', (s) => firstSql(s, 'replay'), FULL_LIMIT_MS),
};

/** The first pending row of one origin. */
interface Pending {
  /** Nothing below is pending. */
  readonly floor: Date;
  /** How long it is overdue, leased or not; negative if it is due later, undefined if there is none. */
  readonly overdueMs: number | undefined;
}

/**
 * Remembers below which due time nothing is pending. The indexes of pending rows keep the entries of
 * finished ones while an old snapshot is open (a dump, an idle transaction), and each read from the
 * beginning would pass all of them. From here, a read passes those since the last read.
 */
export class PendingFloor {
  readonly #origin: ClaimDue['origin'];
  #floor: Date | undefined;
  #shiftMs = 0;
  #fullAtMs = Number.NEGATIVE_INFINITY;

  constructor(origin: ClaimDue['origin']) {
    this.#origin = origin;
  }

  /** Reads the first pending row, and raises the floor to it. */
  async advance(session: Session, shiftMs: number): Promise<Pending> {
    const startedMs = performance.now();
    // A clock that was set back makes rows due below the floor.
    const isFull = startedMs + shiftMs >= this.#fullAtMs || shiftMs < this.#shiftMs;
    this.#shiftMs = shiftMs;
    try {
      const from = (isFull ? undefined : this.#floor) ?? '-infinity';
      const { rows } = await session.query<FirstRow>(firstStatements[this.#origin], [
        shiftMs,
        from,
      ]);
      const [row] = rows;
      if (row === undefined) throw new Error('PostgreSQL did not tell what is pending.');
      const { now, due_at } = row;
      const lowestMs = Math.min(now.getTime(), due_at?.getTime() ?? Number.POSITIVE_INFINITY);
      this.#floor = new Date(lowestMs - MARGIN_MS);
      const overdueMs = due_at === null ? undefined : now.getTime() - due_at.getTime();
      return { floor: this.#floor, overdueMs };
    } finally {
      // Also if it failed, so that reads from the floor go on.
      const tookMs = performance.now() - startedMs;
      const waitMs = Math.max(FULL_EVERY_MS, tookMs * FULL_SHARE);
      if (isFull) this.#fullAtMs = startedMs + shiftMs + waitMs;
    }
  }
}
