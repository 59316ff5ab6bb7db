import { query } from '../support/database.ts';
import type { Tally } from './scenario.ts';
import type { Arrival } from './webhook-log.ts';

/** One delivery as the database knows it. */
export interface DeliveryRow {
  readonly delivery: string;
  readonly event: string;
  /** Numbers of attempts that a process died with, one for each time. */
  readonly abandoned: readonly number[];
  /** Numbers of attempts whose results count, one for each result. */
  readonly counted: readonly number[];
}

const DELIVERIES = `SELECT d.id AS delivery, d.event_id AS event,
    COALESCE(array_agg(a.attempt::int) FILTER (WHERE a.outcome = 'unknown'), '{}') AS abandoned,
    COALESCE(array_agg(a.attempt::int) FILTER (WHERE a.outcome IN ('succeeded', 'failed')), '{}')
      AS counted
  FROM paymount.deliveries d LEFT JOIN paymount.delivery_attempts a ON a.delivery_id = d.id
  -- What a disabled endpoint missed is not lost if a replay sends it.
  WHERE NOT (d.state = 'skipped' AND EXISTS (SELECT FROM paymount.deliveries r
    WHERE r.event_id = d.event_id AND r.endpoint_id = d.endpoint_id AND r.origin = 'replay'))
  GROUP BY d.id`;

const MAX_ATTEMPTS = 8;
const MAX_EXTRA_SHARE = 0.01;

/**
 * The laws of delivery, from the database and from what arrived.
 * @param unlogged how many deaths in a row the log may lack: a worker that dies soon after it claimed
 *   a delivery may not have logged the death of the one that held it before
 * @returns sentences that name the delivery; empty is good
 */
export async function checkDeliveries(
  databaseUrl: string,
  log: { readonly arrivals: readonly Arrival[] },
  tally: Tally,
  unlogged = 0,
): Promise<readonly string[]> {
  const rows = await query<DeliveryRow>(databaseUrl, DELIVERIES);
  return checkArrivals(rows, log.arrivals, tally, unlogged);
}

/**
 * L1: every committed event was answered 2xx at every endpoint, or 8 attempts failed. L2: of one
 * attempt number one result counts, and it was sent twice only where a process died holding it.
 */
export function checkArrivals(
  rows: readonly DeliveryRow[],
  arrivals: readonly Arrival[],
  tally: Tally,
  unlogged = 0,
): readonly string[] {
  const violations: string[] = [];
  const known = new Set(rows.map(({ event }) => event));
  for (const { eventId } of arrivals) {
    if (!known.has(eventId)) violations.push(`L1: ${eventId} arrived and was never committed.`);
  }
  const sends = new Map<string, number>();
  for (const { attempt } of arrivals) sends.set(attempt, (sends.get(attempt) ?? 0) + 1);
  const taken = new Set(
    arrivals
      .filter(({ answered }) => answered >= 200 && answered < 300)
      .map(({ attempt }) => deliveryOf(attempt)),
  );
  for (const row of rows) {
    tally.add('deliveries');
    tally.add('abandoned attempts', row.abandoned.length);
    const isLost = !taken.has(row.delivery) && new Set(row.counted).size < MAX_ATTEMPTS;
    if (isLost) violations.push(`L1: ${row.delivery} was lost.`);
    violations.push(...checkAttempts(row, sends, { tally, unlogged }));
  }
  return violations;
}

/** L2: at most 1 % of all sends were extra. @param tally what `checkArrivals` counted */
export function checkExtraSends(tally: Tally): readonly string[] {
  const [sends, extra] = [tally.of('sends'), tally.of('extra sends')];
  if (extra <= sends * MAX_EXTRA_SHARE) return [];
  return [`L2: ${extra} of ${sends} sends were extra, more than 1 %.`];
}

function checkAttempts(
  { delivery, abandoned, counted }: DeliveryRow,
  sends: ReadonlyMap<string, number>,
  { tally, unlogged }: { readonly tally: Tally; readonly unlogged: number },
): readonly string[] {
  const violations: string[] = [];
  if (new Set(counted).size !== counted.length) {
    violations.push(`L2: ${delivery} has two results of one attempt: ${counted.join(', ')}.`);
  }
  for (const number of counted) {
    const sent = sends.get(`${delivery}-${number}`) ?? 0;
    const deaths = abandoned.filter((attempt) => attempt === number).length;
    tally.add('sends', sent);
    if (sent > 1) tally.add('extra sends', sent - 1);
    if (sent > 1 + Math.max(deaths, unlogged)) {
      violations.push(`L2: attempt ${number} of ${delivery} was sent ${sent} times.`);
    }
  }
  return violations;
}

function deliveryOf(attempt: string): string {
  return attempt.slice(0, attempt.lastIndexOf('-'));
}
