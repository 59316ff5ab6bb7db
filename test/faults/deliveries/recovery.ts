import { setTimeout as wait } from 'node:timers/promises';
import { query } from '../../support/database.ts';
import type { Fleet } from '../money/fleet.ts';
import type { Tally } from '../scenario.ts';
import type { Buyers } from './buyers.ts';
import type { UnreliableReceiver } from './receiver.ts';

/** What must come to rest. */
export interface Recovering {
  readonly databaseUrl: string;
  readonly fleet: Fleet;
  readonly buyers: Buyers;
  readonly receiver: UnreliableReceiver;
  readonly tally: Tally;
}

/** After the last fault nothing is overdue for longer; the machine's time. */
const RECOVERY_LIMIT_MS = 30_000;
const LATE_MS = 5_000;
const LOOK_EVERY_MS = 100;
/** So long nothing happens, before the clocks are moved on. */
const QUIET_MS = 700;
/** So long nothing happens although something is due: it is lost. */
const STUCK_MS = 5_000;
const BEYOND_MS = 1_000;
/** Longer than the lock of a key, and than any wait for a look-up but the longest. */
const STEP_MS = 6 * 60_000;
const SETTLE_LIMIT_MS = 15 * 60_000;

/** Overdue, whoever holds it: a lease of a dead process is no excuse. */
const LATE = `SELECT count(*)::int AS late FROM paymount.deliveries WHERE state = 'pending'
  AND due_at <= clock_timestamp() + ($1 - ${LATE_MS}) * interval '1 ms'`;

const LEFT = `WITH at AS (SELECT clock_timestamp() + $1 * interval '1 ms' AS now)
  SELECT count(*)::int AS pending,
    count(*) FILTER (WHERE due_at <= at.now AND (lease_until IS NULL OR lease_until < at.now))::int
      AS due,
    COALESCE(extract(epoch FROM max(GREATEST(due_at, lease_until)) - min(at.now)) * 1000, 0)::float8
      AS wait_ms,
    (SELECT count(*)::int FROM paymount.operations WHERE state IN ('created', 'sent', 'unknown'))
      AS operations
  FROM paymount.deliveries, at WHERE state = 'pending'`;

interface Left {
  readonly pending: number;
  readonly due: number;
  /** Until all of them are due and held by no process. */
  readonly wait_ms: number;
  readonly operations: number;
}

/**
 * Lets the machine's time pass and nothing else, until nothing is overdue by more than 5 s.
 * @param overMs when the last fault was over, by `performance.now()`
 * @returns what is still overdue 30 s later
 */
export async function recoverInRealTime(
  { databaseUrl, fleet, tally }: Recovering,
  overMs: number,
): Promise<readonly string[]> {
  for (;;) {
    const [row] = await query<{ late: number }>(databaseUrl, LATE, [fleet.shiftMs]);
    const tookMs = Math.round(performance.now() - overMs);
    if (row?.late === 0) {
      tally.add('ms from the last fault until nothing was late', tookMs);
      return [];
    }
    const late = checkRecovery(row?.late ?? 0, tookMs);
    if (late.length > 0) return late;
    await wait(LOOK_EVERY_MS);
  }
}

/** The law of recovery. @param tookMs since the last fault */
export function checkRecovery(late: number, tookMs: number): readonly string[] {
  if (late === 0 || tookMs <= RECOVERY_LIMIT_MS) return [];
  return [`L4: ${late} deliveries were overdue by more than 5 s, 30 s after the last fault.`];
}

/**
 * Waits until everything is delivered and every charge is answered. The schedule's waits are not
 * waited for: while nothing is due, the clocks of all processes are moved on. Returns early when
 * something is due and nobody takes it: the laws will name it.
 */
export async function comeToRest(recovering: Recovering): Promise<void> {
  const { databaseUrl, fleet, buyers, receiver } = recovering;
  const startedMs = performance.now();
  let seen = '';
  let stillSinceMs = startedMs;
  while (performance.now() - startedMs < SETTLE_LIMIT_MS) {
    await buyers.askAgain();
    const [left] = await query<Left>(databaseUrl, LEFT, [fleet.shiftMs]);
    if (left === undefined) return;
    const { pending, due, operations } = left;
    if (pending + operations + buyers.open === 0) return;
    const now = [pending, due, operations, buyers.open, receiver.arrivals.length].join();
    if (now !== seen) stillSinceMs = performance.now();
    seen = now;
    const stillMs = performance.now() - stillSinceMs;
    if (due > 0 && stillMs > STUCK_MS) return;
    if (due === 0 && stillMs > QUIET_MS) {
      await fleet.advance(Math.max(Math.ceil(left.wait_ms) + BEYOND_MS, STEP_MS));
      stillSinceMs = performance.now();
    }
    await wait(LOOK_EVERY_MS);
  }
}
