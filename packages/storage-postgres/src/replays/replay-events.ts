import type { EventType } from '@paymount/core/changes';
import {
  type ChosenEvents,
  DELIVERIES_KEPT_DAYS,
  PAST_LAST,
  type Replay,
  type ReplayTarget,
  type ReplayWindow,
} from '@paymount/core/events';
import { type EventId, livemode } from '@paymount/core/kernel';
import { statement } from '../connection/statement.ts';
import type { Session } from '../transaction/session.ts';

interface WindowRow {
  readonly looked: number;
  readonly matched: number;
  readonly last: EventId | null;
}

/** Each row has the end of the window; without events, one row has only that. */
interface ChosenRow extends Omit<WindowRow, 'matched'> {
  readonly id: EventId | null;
  readonly type: EventType | null;
}

/** A replay, and one of its targets. */
interface Looking {
  readonly replay: Replay;
  readonly target: ReplayTarget;
  readonly shiftMs: number;
}

/** The next `$5` events of the owner after the cursor, of any type. */
const windowSql = (
  s: string,
): string => `SELECT v.id, v.type, v.created, v.recorded_at, v.expunged_at, v.test_clock_id FROM ${s}.events v
    WHERE v.account_id = $1 AND v.livemode = $2 AND v.id > $3 AND v.id <= $4
    ORDER BY v.id LIMIT $5`;

/**
 * Each origin has its own index. With EXISTS, the planner would hash every delivery of the endpoint
 * for each look-up of a few events.
 */
const hasDelivery = (s: string, state: string): string => {
  const of = (origin: string): string => `(SELECT 1 FROM ${s}.deliveries d WHERE d.event_id = e.id
      AND d.endpoint_id = $12 AND d.origin = '${origin}' AND ${state} LIMIT 1) IS NOT NULL`;
  return `(${of('event')} OR ${of('replay')})`;
};

/** What is on a test clock counts as created when it was recorded. `$14` is the shift of the clock. */
const REAL_TIME = `CASE WHEN e.test_clock_id IS NULL THEN e.created
    ELSE e.recorded_at + $14::double precision * interval '1 ms' END`;

/**
 * `$6`-`$14`: types, bounds on `created`, states, the endpoint whose deliveries have these states,
 * the replay, and the shift of the clock. States of older events are unknown, because their
 * deliveries are deleted.
 */
const matchSql = (s: string): string => {
  const succeeded = hasDelivery(s, "d.state = 'succeeded'");
  const named = hasDelivery(s, 'd.state = ANY ($11::text[])');
  return `e.recorded_at <= (SELECT r.recorded_until FROM ${s}.replays r WHERE r.id = $13)
    AND ($6::text[] IS NULL OR e.type = ANY ($6))
    AND ($7::timestamptz IS NULL OR ${REAL_TIME} > $7)
    AND ($8::timestamptz IS NULL OR ${REAL_TIME} >= $8)
    AND ($9::timestamptz IS NULL OR ${REAL_TIME} < $9)
    AND ($10::timestamptz IS NULL OR ${REAL_TIME} <= $10)
    AND ($11::text[] IS NULL OR ${REAL_TIME} >= now() + $14::double precision * interval '1 ms'
      - interval '${DELIVERIES_KEPT_DAYS} days')
    AND ($11::text[] IS NULL OR CASE WHEN ${succeeded} THEN 'succeeded' = ANY ($11)
      ELSE 'undelivered' = ANY ($11) OR ${named} END)`;
};
/** Nothing is left to send of an expunged event. */
const SENDABLE = 'e.expunged_at IS NULL';
const count = statement(
  'pm_replays_count_v4',
  (s) => `SELECT count(*)::integer AS looked, max(e.id) AS last,
      (count(*) FILTER (WHERE ${SENDABLE} AND ${matchSql(s)}))::integer AS matched FROM (${windowSql(s)}) e`,
);
/**
 * Reads no more than necessary: it stops at the limit, and reads the end of the window only if it
 * found fewer. It is one statement: between two statements an event with a smaller id could be
 * committed, and the window would end before what was found.
 */
const choose = statement(
  'pm_replays_choose_v5',
  (s) => `WITH chosen AS MATERIALIZED (
    SELECT e.id, e.type FROM (${windowSql(s)}) e WHERE ${SENDABLE} AND ${matchSql(s)}
    ORDER BY e.id LIMIT $15)
  SELECT c.id, c.type, w.looked, w.last FROM (
    SELECT count(*)::integer AS looked, max(e.id) AS last FROM (${windowSql(s)}) e
    WHERE (SELECT count(*) FROM chosen) < $15) w
  LEFT JOIN chosen c ON true ORDER BY c.id`,
);

/** An index has expunged events alone, so that a replay that passes none reads nothing. */
const expunged = statement(
  'pm_replays_expunged_v2',
  (s) => `SELECT count(*)::integer AS count FROM ${s}.events e
    WHERE e.account_id = $1 AND e.livemode = $2 AND e.id > $3 AND e.id <= $4 AND e.id <= $5
      AND e.expunged_at IS NOT NULL AND ${matchSql(s)}`,
);

/** Counts what matches among the next events; see `ReplayStepRepository.count`. */
export async function countEvents(
  session: Session,
  { replay, target, shiftMs }: Looking,
  limit: number,
): Promise<ReplayWindow> {
  const window = windowValues(replay, { cursor: target.countedTo, limit });
  const values = [...window, ...toFilter(replay, target), shiftMs];
  const [row] = (await session.query<WindowRow>(count, values)).rows;
  const { looked = 0, matched = 0 } = row ?? {};
  return { looked, matched, cursor: cursorAfter(row, limit) };
}

/** Counts what matches and is expunged; see `ReplayStepRepository.countExpunged`. */
export async function countExpunged(
  session: Session,
  { replay, target, shiftMs }: Looking,
  { after, to }: { readonly after: string; readonly to: string },
): Promise<number> {
  const { accountId, environment, throughEventId = '' } = replay;
  const range = [accountId, livemode(environment), after, throughEventId, to];
  const values = [...range, ...toFilter(replay, target), shiftMs];
  return (await session.query<{ count: number }>(expunged, values)).rows[0]?.count ?? 0;
}

/** Finds what matches among the next events; see `ReplayStepRepository.choose`. */
export async function chooseEvents(
  session: Session,
  { replay, target, shiftMs }: Looking,
  { limit, looked }: { readonly limit: number; readonly looked: number },
): Promise<ChosenEvents> {
  const { endpointId } = target;
  const window = windowValues(replay, { cursor: target.sentTo, limit: looked });
  const values = [...window, ...toFilter(replay, target), shiftMs, limit];
  const { rows } = await session.query<ChosenRow>(choose, values);
  const events = rows.flatMap(({ id, type }) => (id === null || type === null ? [] : { id, type }));
  const last = events.at(-1);
  if (last !== undefined && events.length === limit) return { endpointId, events, cursor: last.id };
  return { endpointId, events, cursor: cursorAfter(rows[0], looked) };
}

/** A window that is not full ends at the newest event. */
function cursorAfter(row: Omit<WindowRow, 'matched'> | undefined, limit: number): string {
  return row === undefined || row.looked < limit ? PAST_LAST : (row.last ?? PAST_LAST);
}

function windowValues(
  { accountId, environment, throughEventId }: Replay,
  { cursor, limit }: { readonly cursor: string; readonly limit: number },
): unknown[] {
  return [accountId, livemode(environment), cursor, throughEventId ?? '', limit];
}

function toFilter({ id, createdFilter, states, endpointId }: Replay, target: ReplayTarget) {
  const { gt, gte, lt, lte } = createdFilter ?? {};
  const bounds = [gt, gte, lt, lte].map((bound) => bound ?? null);
  const judged = endpointId ?? target.endpointId;
  return [target.types ?? null, ...bounds, states ?? null, judged, id];
}
