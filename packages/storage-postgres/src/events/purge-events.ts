import type { EventQueue } from '@paymount/core/changes';
import {
  type AccountId,
  type EventId,
  environmentOf,
  firstIdAt,
  livemode,
} from '@paymount/core/kernel';
import { statement } from '../connection/statement.ts';
import type { ExportedRow } from '../exports/exported.ts';
import type { Session } from '../transaction/session.ts';
import { inTransaction } from '../transaction/transaction.ts';

type Purge = EventQueue['purge'];
type Position = NonNullable<Parameters<Purge>[0]['after']>;

interface SeenRow {
  readonly account_id: AccountId;
  readonly livemode: boolean;
  readonly id: EventId;
  /** Where the row is, if it is locked. */
  readonly place: string | null;
}

/** `created` of what is on a test clock says nothing about its age. */
const REAL_TIME = 'CASE WHEN v.test_clock_id IS NULL THEN v.created ELSE v.recorded_at END';

/**
 * The next old event of the owner, otherwise the first event of the next owner, which is not looked
 * for before: many deleted events may be in front of it.
 */
function nextSql(s: string, owner: readonly [string, string], after: string): string {
  const columns = `v.account_id, v.livemode, v.id, ${REAL_TIME} AS created, v.ctid AS place`;
  const [account, live] = owner;
  return `(SELECT ${columns} FROM ${s}.events v
     WHERE v.account_id = ${account} AND v.livemode = ${live} AND v.id > ${after} AND v.id < $4::text
     ORDER BY v.id LIMIT 1)
    UNION ALL
    (SELECT ${columns} FROM ${s}.events v
     WHERE (v.account_id, v.livemode) > (${account}, ${live})
     ORDER BY v.account_id, v.livemode, v.id LIMIT 1)
    LIMIT 1`;
}

/**
 * Walks along the primary key, as the purge of deliveries does. Ids are in the order of time: `$4` is
 * the first id of the time before which events are deleted. A row that somebody else has locked is
 * left: a delivery is being made of it, or it is being expunged.
 */
const walkNext = statement(
  'pm_events_purge_walk_v2',
  (s) => `WITH RECURSIVE seen (account_id, livemode, id, created, place, number) AS (
  (SELECT n.*, 1 FROM (${nextSql(s, ['$1::text', '$2::boolean'], '$3::text')}) n)
  UNION ALL
  SELECT n.*, number + 1 FROM seen
  CROSS JOIN LATERAL (${nextSql(s, ['seen.account_id', 'seen.livemode'], 'seen.id')}) n
  WHERE number < $6::integer),
locked AS MATERIALIZED (
  SELECT v.ctid AS place, v.account_id, v.livemode, v.id FROM ${s}.events v
  WHERE v.ctid = ANY (ARRAY(SELECT place FROM seen WHERE id < $4::text AND created < $5::timestamptz))
  FOR UPDATE SKIP LOCKED)
SELECT account_id, livemode, id, locked.place::text AS place
FROM seen LEFT JOIN locked USING (account_id, livemode, id) ORDER BY number`,
);

/**
 * A separate statement, so that it sees the deliveries of transactions that had locked an event. Each
 * origin has its own index, and bounds and order are those of the index: so it is used, whatever
 * statistics say.
 */
function leavesSql(s: string): string {
  const hasNone = (origin: 'event' | 'replay'): string => `(
      SELECT true FROM ${s}.deliveries d WHERE d.origin = '${origin}'
        AND (d.event_id, d.endpoint_id) >= (v.id, '') AND d.event_id <= v.id
      ORDER BY d.event_id, d.endpoint_id LIMIT 1) IS NULL`;
  return `${hasNone('event')} AND ${hasNone('replay')} AND NOT EXISTS (
        SELECT FROM ${s}.replays r JOIN ${s}.replay_targets t ON t.replay_id = r.id
        WHERE r.account_id = v.account_id AND r.livemode = v.livemode AND r.is_open
          AND r.finished_at IS NULL AND v.id > t.sent_to AND v.id <= r.through_event_id OFFSET 0)`;
}
const remove = statement(
  'pm_events_purge_v2',
  (s) => `DELETE FROM ${s}.events v WHERE v.ctid = ANY ($1::text[]::tid[]) AND ${leavesSql(s)}`,
);
/** So that `verify`, which counts events, knows which may be missing. */
const note = statement(
  'pm_events_purged_v1',
  (s) => `INSERT INTO ${s}.purges AS p (table_name, created_before) VALUES ('events', $1)
    ON CONFLICT (table_name) DO UPDATE
    SET created_before = greatest(p.created_before, excluded.created_before)`,
);

const show = statement(
  'pm_events_purge_show_v2',
  (s) => `SELECT to_jsonb(v) AS shown FROM ${s}.events v
    WHERE v.ctid = ANY ($1::text[]::tid[]) AND ${leavesSql(s)} ORDER BY v.account_id, v.livemode, v.id`,
);
const lock = statement(
  'pm_events_purge_lock_v1',
  (s) => `SELECT v.ctid::text AS place
    FROM unnest($1::text[], $2::boolean[], $3::text[]) AS n (account_id, livemode, id)
    JOIN ${s}.events v USING (account_id, livemode, id) FOR UPDATE OF v SKIP LOCKED`,
);

/** Deletes old events; see `EventQueue.purge`. */
export async function purgeEvents(session: Session, walk: Parameters<Purge>[0]): ReturnType<Purge> {
  return inTransaction(session, async (inner) => {
    const locked = await inner.plain<{ mine: boolean }>(
      'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS mine',
      [`purge events ${inner.statements.schema}`],
    );
    if (locked.rows[0]?.mine !== true) return { deleted: 0 };
    const { places, next } = await lockNext(inner, walk);
    const deleted = await removePlaces(inner, places, walk.createdBefore);
    return { deleted, ...(next && { next }) };
  });
}

/** Reads the next events that would be deleted. */
export async function readOldEvents(
  session: Session,
  walk: Parameters<Purge>[0],
): Promise<{ readonly rows: readonly ExportedRow[]; readonly next?: Position }> {
  return inTransaction(session, async (inner) => {
    const { places, next } = await lockNext(inner, walk);
    const { rows } = await inner.query<{ shown: ExportedRow }>(show, [places]);
    return { rows: rows.map(({ shown }) => shown), ...(next && { next }) };
  });
}

/** Deletes those of these events that are still to be deleted. */
export async function removeEvents(
  session: Session,
  events: readonly ExportedRow[],
  createdBefore: Date,
): Promise<number> {
  return inTransaction(session, async (inner) => {
    const keys = ['account_id', 'livemode', 'id'].map((key) => events.map((row) => row[key]));
    const { rows } = await inner.query<{ place: string }>(lock, keys);
    return removePlaces(
      inner,
      rows.map(({ place }) => place),
      createdBefore,
    );
  });
}

async function lockNext(
  session: Session,
  { after, createdBefore, limit }: Parameters<Purge>[0],
): Promise<{ readonly places: readonly string[]; readonly next?: Position }> {
  const end = firstIdAt('evt', createdBefore.getTime());
  const { rows } = await session.query<SeenRow>(walkNext, [
    after?.accountId ?? '',
    after !== undefined && livemode(after.environment),
    after?.eventId ?? '',
    end,
    createdBefore,
    limit,
  ]);
  const places = rows.flatMap(({ place }) => (place === null ? [] : [place]));
  const last = rows.length === limit ? rows.at(-1) : undefined;
  return { places, ...(last && { next: toPosition(last) }) };
}

async function removePlaces(
  session: Session,
  places: readonly string[],
  createdBefore: Date,
): Promise<number> {
  if (places.length === 0) return 0;
  const deleted = (await session.query(remove, [places])).rowCount ?? 0;
  if (deleted > 0) await session.query(note, [createdBefore]);
  return deleted;
}

function toPosition({ account_id, livemode: live, id }: SeenRow): Position {
  return { accountId: account_id, environment: environmentOf(live), eventId: id };
}
