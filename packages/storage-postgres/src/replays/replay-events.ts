import {
  type DeliveryId,
  type EventId,
  type EventType,
  livemode,
  newId,
  type Replay,
  type ReplaySteps,
  type ReplayTarget,
  type ReplayWindow,
} from '@paymount/core';
import type { Session } from '../session.ts';
import { statement } from '../shared/statement.ts';

interface WindowRow {
  readonly looked: number;
  readonly matched: number;
  readonly last: EventId | null;
}

interface ChosenRow {
  readonly id: EventId;
  readonly type: EventType;
}

/** One replay, one of its targets, and the clock whose shift is added to the database's time. */
interface Sending {
  readonly replay: Replay;
  readonly target: ReplayTarget;
  readonly clock: { readonly shiftMs: number };
}

/** The next `$5` events of the owner after the cursor, whatever they are. */
const windowSql = (s: string): string => `SELECT v.id, v.type, v.created FROM ${s}.events v
    WHERE v.account_id = $1 AND v.livemode = $2 AND v.id > $3 AND v.id <= $4
    ORDER BY v.id LIMIT $5`;

/**
 * Each origin has an index of its own. Of EXISTS the planner would make a hash of everything that
 * the endpoint ever got, for each look at a few events.
 */
const hasDelivery = (s: string, state: string): string => {
  const of = (origin: string): string => `(SELECT 1 FROM ${s}.deliveries d WHERE d.event_id = e.id
      AND d.endpoint_id = $12 AND d.origin = '${origin}' AND ${state} LIMIT 1) IS NOT NULL`;
  return `(${of('event')} OR ${of('replay')})`;
};

/** `$6`-`$12`: types, bounds on `created`, states, and the endpoint at which these are judged. */
const matchSql = (s: string): string => {
  const succeeded = hasDelivery(s, "d.state = 'succeeded'");
  const named = hasDelivery(s, 'd.state = ANY ($11::text[])');
  return `($6::text[] IS NULL OR e.type = ANY ($6))
    AND ($7::timestamptz IS NULL OR e.created > $7)
    AND ($8::timestamptz IS NULL OR e.created >= $8)
    AND ($9::timestamptz IS NULL OR e.created < $9)
    AND ($10::timestamptz IS NULL OR e.created <= $10)
    AND ($11::text[] IS NULL OR CASE WHEN ${succeeded} THEN 'succeeded' = ANY ($11)
      ELSE 'undelivered' = ANY ($11) OR ${named} END)`;
};
const count = statement(
  'pm_replays_count_v1',
  (s) => `SELECT count(*)::integer AS looked, max(e.id) AS last,
      (count(*) FILTER (WHERE ${matchSql(s)}))::integer AS matched FROM (${windowSql(s)}) e`,
);
/** Looks no further than it must: what is found first is enough. */
const choose = statement(
  'pm_replays_choose_v1',
  (s) => `SELECT e.id, e.type FROM (${windowSql(s)}) e WHERE ${matchSql(s)}
    ORDER BY e.id LIMIT $13`,
);
const endOfWindow = statement(
  'pm_replays_window_v1',
  (s) => `SELECT count(*)::integer AS looked, max(e.id) AS last FROM (
    SELECT v.id FROM ${s}.events v
    WHERE v.account_id = $1 AND v.livemode = $2 AND v.id > $3 AND v.id <= $4
    ORDER BY v.id LIMIT $5) e`,
);
const insert = statement(
  'pm_replays_deliver_v1',
  (s) => `INSERT INTO ${s}.deliveries (account_id, livemode, endpoint_id, replay_id, id, event_id,
      event_type, origin, state, attempt, due_at, created)
    SELECT $1, $2, $3, $4, n.id, n.event_id, n.event_type, 'replay', 'pending', 1, t.now, t.now
    FROM (SELECT now() + $5::double precision * interval '1 ms' AS now) t,
      unnest($6::text[], $7::text[], $8::text[]) AS n (id, event_id, event_type)`,
);

/** Counts what matches among the next events; see `ReplaySteps.count`. */
export async function countEvents(
  session: Session,
  { replay, target }: Pick<Sending, 'replay' | 'target'>,
  limit: number,
): Promise<ReplayWindow> {
  const values = [...windowOf(replay, target, limit), ...filterOf(replay, target)];
  const [row] = (await session.query<WindowRow>(count, values)).rows;
  const { looked = 0, matched = 0 } = row ?? {};
  return { looked, matched, ...(row && cursorAfter(row, limit)) };
}

/** Makes deliveries of what matches among the next events; see `ReplaySteps.send`. */
export async function sendEvents(
  session: Session,
  { replay, target, clock }: Sending,
  { limit, looked }: { readonly limit: number; readonly looked: number },
): ReturnType<ReplaySteps['send']> {
  const window = windowOf(replay, target, looked);
  const values = [...window, ...filterOf(replay, target), limit];
  const chosen = (await session.query<ChosenRow>(choose, values)).rows;
  const made: readonly DeliveryId[] = chosen.map(() => newId('dlv'));
  if (made.length > 0) {
    await session.query(insert, [
      ...[replay.accountId, livemode(replay.environment), target.endpointId, replay.id],
      ...[clock.shiftMs, made, chosen.map(({ id }) => id), chosen.map(({ type }) => type)],
    ]);
  }
  const last = chosen.at(-1);
  if (last !== undefined && chosen.length === limit) return { made, cursor: last.id };
  const [end] = (await session.query<Omit<WindowRow, 'matched'>>(endOfWindow, window)).rows;
  return { made, ...(end && cursorAfter(end, looked)) };
}

/** A window that is not full ends at the newest event. */
function cursorAfter(
  { looked, last }: Omit<WindowRow, 'matched'>,
  limit: number,
): { readonly cursor?: string } {
  return looked < limit || last === null ? {} : { cursor: last };
}

function windowOf(replay: Replay, { cursor }: ReplayTarget, limit: number): unknown[] {
  const { accountId, environment, throughEventId } = replay;
  return [accountId, livemode(environment), cursor, throughEventId ?? '', limit];
}

function filterOf({ createdFilter, states, endpointId }: Replay, target: ReplayTarget): unknown[] {
  const { gt, gte, lt, lte } = createdFilter ?? {};
  const bounds = [gt, gte, lt, lte].map((bound) => bound ?? null);
  return [target.types ?? null, ...bounds, states ?? null, endpointId ?? target.endpointId];
}
