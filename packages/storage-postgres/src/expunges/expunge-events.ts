import type { ExpungedBatch } from '@paymount/core/expunging';
import { type EventId, livemode, type Owner } from '@paymount/core/kernel';
import { statement } from '../connection/statement.ts';
import { BLANK_CONTENT } from '../deliveries/attempt-columns.ts';
import { NOW } from '../deliveries/pending-rows.ts';
import type { Session } from '../transaction/session.ts';

/** Deliveries, and attempts, of one step, which one event alone can exceed. */
const MAX_ROWS = 1_000;
const WAITING = ['pending', 'parked'];

interface AttemptKey {
  readonly id: string;
  readonly delivery_id: string;
  readonly started_at: Date;
}

/** In the order of ids, as every other lock on several events. */
const lock = statement(
  'pm_expunges_lock_events_v1',
  (s) => `SELECT v.id FROM ${s}.events v
    WHERE v.account_id = $1 AND v.livemode = $2 AND v.id = ANY ($3::text[])
      AND v.expunged_at IS NULL
    ORDER BY v.id FOR NO KEY UPDATE`,
);
/** Each origin has its own index. Without OFFSET 0 a plan may walk all that is pending instead. */
const deliveriesSql = (s: string, ids: string): string => {
  const columns = 'd.id, d.state, d.created, d.finished_at';
  return `unnest(${ids}::text[]) AS n (id) CROSS JOIN LATERAL (
    SELECT ${columns} FROM ${s}.deliveries d WHERE d.event_id = n.id AND d.origin = 'event'
    UNION ALL
    SELECT ${columns} FROM ${s}.deliveries d WHERE d.event_id = n.id AND d.origin = 'replay'
    OFFSET 0) d`;
};
/** An attempt that is running ends, and its result is superseded. */
const cancel = statement(
  'pm_expunges_cancel_v1',
  (s) => `WITH waiting AS MATERIALIZED (
    SELECT d.id FROM ${deliveriesSql(s, '$1')}
    WHERE d.state = ANY ($2::text[]) ORDER BY d.id LIMIT ${MAX_ROWS})
  UPDATE ${s}.deliveries d SET state = 'canceled', last_error = 'event_expunged',
    lease_token = NULL, leased_at = NULL, lease_until = NULL,
    finished_at = now() + $3::double precision * interval '1 ms'
  WHERE d.id = ANY (ARRAY(SELECT id FROM waiting)) AND d.state = ANY ($2::text[])`,
);
/**
 * The times leave out the partitions of other days. `created` is from the clock of the process that recorded
 * the event, which nothing compares with the database's: a day is allowed for it, and one that is after the
 * end says nothing. `started_at` and `finished_at` agree within a minute: a worker sends nothing while its
 * clock is over 30 s off.
 */
const attempts = statement(
  'pm_expunges_attempts_v2',
  (s) => `SELECT a.id, a.delivery_id, a.started_at FROM ${deliveriesSql(s, '$2')}
    CROSS JOIN LATERAL (
      SELECT a.id, a.delivery_id, a.started_at FROM ${s}.delivery_attempts a
      WHERE a.started_at >= CASE WHEN d.created <= COALESCE(d.finished_at, ${NOW})
          THEN d.created - interval '24 hours' ELSE '-infinity' END
        AND a.started_at < COALESCE(d.finished_at, ${NOW}) + interval '1 hour'
        AND a.delivery_id = d.id AND (a.request_headers <> '{}'
        OR a.response_headers IS NOT NULL OR a.response_body IS NOT NULL)
      ORDER BY a.attempt LIMIT ${MAX_ROWS}) a
    LIMIT ${MAX_ROWS}`,
);
/** Otherwise a plan may read all attempts of a day. Only the index that begins with the delivery has the order. */
const BY_DELIVERY =
  'SET LOCAL enable_sort = off; SET LOCAL enable_incremental_sort = off; SET LOCAL enable_bitmapscan = off';
/** The times leave out the partitions of other days. */
const blankAttempts = statement(
  'pm_expunges_blank_attempts_v1',
  (s) => `UPDATE ${s}.delivery_attempts a
    SET ${Object.entries(BLANK_CONTENT)
      .map(([name, blank]) => `${name} = ${blank}`)
      .join(', ')}
    WHERE a.started_at >= $1 AND a.started_at < $2
      AND a.delivery_id = ANY ($3::text[]) AND a.id = ANY ($4::text[])`,
);
const blankEvents = statement(
  'pm_expunges_blank_events_v1',
  (s) => `UPDATE ${s}.events v SET body = NULL, expunged_at = $4
    WHERE v.account_id = $1 AND v.livemode = $2 AND v.id = ANY ($3::text[])`,
);

/**
 * Expunges events; see `ExpungeStepRepository.expunge`. Each statement sees what was committed
 * before it. A replay or a retry locks the event before it makes one of its deliveries wait again.
 */
export async function expungeEvents(
  session: Session,
  { accountId, environment }: Owner,
  {
    eventIds,
    now,
    shiftMs,
  }: { readonly eventIds: readonly EventId[]; readonly now: Date; readonly shiftMs: number },
): Promise<ExpungedBatch> {
  const owner = [accountId, livemode(environment)];
  const locked = (await session.query<{ id: EventId }>(lock, [...owner, eventIds])).rows;
  if (locked.length === 0) return { events: 0, canceledDeliveries: 0, attempts: 0, isWhole: true };
  const ids = locked.map(({ id }) => id);
  const canceled = (await session.query(cancel, [ids, WAITING, shiftMs])).rowCount ?? 0;
  await session.plain(BY_DELIVERY);
  const found = (await session.query<AttemptKey>(attempts, [shiftMs, ids])).rows;
  await blank(session, found);
  const isWhole = canceled < MAX_ROWS && found.length < MAX_ROWS;
  if (isWhole) await session.query(blankEvents, [...owner, ids, now]);
  const events = isWhole ? ids.length : 0;
  return { events, canceledDeliveries: canceled, attempts: found.length, isWhole };
}

async function blank(session: Session, found: readonly AttemptKey[]): Promise<void> {
  if (found.length === 0) return;
  const times = found.map(({ started_at }) => started_at.getTime());
  const deliveries = [...new Set(found.map(({ delivery_id }) => delivery_id))];
  await session.query(blankAttempts, [
    new Date(Math.min(...times)),
    // A time in the database may be more precise.
    new Date(Math.max(...times) + 1),
    deliveries,
    found.map(({ id }) => id),
  ]);
}
