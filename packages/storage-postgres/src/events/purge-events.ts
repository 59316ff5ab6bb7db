import type { EventQueue } from '@paymount/core/changes';
import {
  type AccountId,
  type EventId,
  environmentOf,
  firstIdAt,
  livemode,
} from '@paymount/core/kernel';
import type { Session } from '../session.ts';
import { statement } from '../shared/statement.ts';
import { inTransaction } from '../transaction.ts';

type Purge = EventQueue['purge'];
type Position = NonNullable<Parameters<Purge>[0]['after']>;

interface SeenRow {
  readonly account_id: AccountId;
  readonly livemode: boolean;
  readonly id: EventId;
  /** Where the row is, if it is locked. */
  readonly place: string | null;
}

/**
 * The next old event of the owner, otherwise the first event of the next owner, which is not looked
 * for before: many deleted events may be in front of it.
 */
function nextSql(s: string, owner: readonly [string, string], after: string): string {
  const columns = 'v.account_id, v.livemode, v.id, v.created, v.ctid AS place';
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
const walk = statement(
  'pm_events_purge_walk_v1',
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
 * origin has its own index. `OFFSET 0` keeps PostgreSQL from reading all deliveries.
 */
const remove = statement('pm_events_purge_v1', (s) => {
  const delivered = (origin: 'event' | 'replay'): string => `EXISTS (
      SELECT FROM ${s}.deliveries d WHERE d.event_id = v.id AND d.origin = '${origin}' OFFSET 0)`;
  return `DELETE FROM ${s}.events v
    WHERE v.ctid = ANY ($1::text[]::tid[])
      AND NOT ${delivered('event')} AND NOT ${delivered('replay')}
      AND NOT EXISTS (
        SELECT FROM ${s}.replays r JOIN ${s}.replay_targets t ON t.replay_id = r.id
        WHERE r.account_id = v.account_id AND r.livemode = v.livemode AND r.is_open
          AND r.finished_at IS NULL AND v.id > t.sent_to AND v.id <= r.through_event_id OFFSET 0)`;
});
/** So that `verify`, which counts events, knows which may be missing. */
const note = statement(
  'pm_events_purged_v1',
  (s) => `INSERT INTO ${s}.purges AS p (table_name, created_before) VALUES ('events', $1)
    ON CONFLICT (table_name) DO UPDATE
    SET created_before = greatest(p.created_before, excluded.created_before)`,
);

/** Deletes old events; see `EventQueue.purge`. */
export async function purgeEvents(
  session: Session,
  { after, createdBefore, limit }: Parameters<Purge>[0],
): ReturnType<Purge> {
  return inTransaction(session, async (inner) => {
    const locked = await inner.plain<{ mine: boolean }>(
      'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS mine',
      [`purge events ${inner.statements.schema}`],
    );
    if (locked.rows[0]?.mine !== true) return { deleted: 0 };
    const end = firstIdAt('evt', createdBefore.getTime());
    const { rows } = await inner.query<SeenRow>(walk, [
      ...[after?.accountId ?? '', after !== undefined && livemode(after.environment)],
      ...[after?.eventId ?? '', end, createdBefore, limit],
    ]);
    const places = rows.flatMap(({ place }) => (place === null ? [] : [place]));
    const deleted = places.length === 0 ? 0 : ((await inner.query(remove, [places])).rowCount ?? 0);
    if (deleted > 0) await inner.query(note, [createdBefore]);
    const last = rows.length === limit ? rows.at(-1) : undefined;
    return { deleted, ...(last && { next: toPosition(last) }) };
  });
}

function toPosition({ account_id, livemode: live, id }: SeenRow): Position {
  return { accountId: account_id, environment: environmentOf(live), eventId: id };
}
