import type { DeliveryQueue } from '@paymount/core/events';
import { type DeliveryId, firstIdAt } from '@paymount/core/kernel';
import { statement } from '../connection/statement.ts';
import type { ExportWalk, SeenRow } from '../exports/exported.ts';
import type { Session } from '../transaction/session.ts';
import { inTransaction } from '../transaction/transaction.ts';

type Purge = DeliveryQueue['purge'];

interface PurgeRow {
  readonly deleted: number;
  readonly looked: number;
  readonly last: DeliveryId | null;
}

function nextSql(s: string, after: string): string {
  return `SELECT d.id, d.finished_at, 1 FROM ${s}.deliveries d
    WHERE d.id > ${after} AND d.id < $4::text ORDER BY d.id LIMIT 1`;
}

/**
 * Walks along the primary key: an index of finished times would be written with each delivery, and
 * nobody else needs it. Each row depends on the previous one, so that no plan reads and sorts all
 * that follow. Ids are in the order of time, and no delivery finishes before it is made: the walk
 * ends at `$4`, the first id of the time before which rows are deleted. A row that somebody else has
 * locked is left for the next walk.
 */
const purge = statement(
  'pm_deliveries_purge_v2',
  (s) => `WITH RECURSIVE old (id, finished_at, place) AS (
  (${nextSql(s, '$1::text')})
  UNION ALL
  SELECT n.id, n.finished_at, place + 1
  FROM old CROSS JOIN LATERAL (${nextSql(s, 'old.id')}) n WHERE place < $3::integer),
gone AS (
  DELETE FROM ${s}.deliveries d WHERE d.id = ANY (ARRAY(
    SELECT o.id FROM ${s}.deliveries o
    WHERE o.id = ANY (ARRAY(SELECT id FROM old WHERE finished_at < $2::timestamptz))
      AND o.finished_at < $2::timestamptz
    ORDER BY o.id FOR UPDATE SKIP LOCKED))
  RETURNING 1)
SELECT count(*)::integer AS looked, max(id) AS last, (SELECT count(*) FROM gone)::integer AS deleted
FROM old`,
);

/** Deletes finished deliveries; see `DeliveryQueue.purge`. */
export async function purgeDeliveries(
  session: Session,
  { after, finishedBefore, limit }: Parameters<Purge>[0],
): ReturnType<Purge> {
  return inTransaction(session, async (inner) => {
    // Two callers that delete the same rows in different orders would wait for each other.
    const locked = await inner.plain<{ mine: boolean }>(
      'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS mine',
      [`purge ${inner.statements.schema}`],
    );
    if (locked.rows[0]?.mine !== true) return { deleted: 0 };
    const end = firstIdAt('dlv', finishedBefore.getTime());
    const { rows } = await inner.query<PurgeRow>(purge, [after, finishedBefore, limit, end]);
    const [row] = rows;
    if (row === undefined) throw new Error('PostgreSQL did not count what it deleted.');
    const { deleted, looked, last } = row;
    return { deleted, ...(looked === limit && last !== null && { next: last }) };
  });
}

const read = statement(
  'pm_deliveries_purge_read_v1',
  (s) => `SELECT d.id, CASE WHEN d.finished_at < $1 THEN to_jsonb(d) END AS shown
    FROM ${s}.deliveries d WHERE d.id > $2::text AND d.id < $3::text ORDER BY d.id LIMIT $4::integer`,
);
const remove = statement(
  'pm_deliveries_remove_v2',
  (s) => `DELETE FROM ${s}.deliveries d WHERE d.id = ANY (ARRAY(
    SELECT o.id FROM ${s}.deliveries o WHERE o.id = ANY ($2::text[]) AND o.finished_at < $1
    ORDER BY o.id FOR UPDATE SKIP LOCKED))`,
);

/** Reads the next deliveries, with those that would be deleted. */
export async function readOldDeliveries(
  session: Session,
  { before, after = '', limit }: Pick<ExportWalk, 'before' | 'after' | 'limit'>,
): Promise<readonly SeenRow[]> {
  const end = firstIdAt('dlv', before.getTime());
  return inTransaction(session, async (inner) => {
    // Whatever statistics say, the only plan left reads the primary key, and stops at the limit.
    await inner.plain('SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off');
    return (await inner.query<SeenRow>(read, [before, after, end, limit])).rows;
  });
}

/** Deletes those of these deliveries that are still to be deleted. */
export async function removeDeliveries(
  session: Session,
  ids: readonly string[],
  before: Date,
): Promise<number> {
  return inTransaction(
    session,
    async (inner) => (await inner.query(remove, [before, ids])).rowCount ?? 0,
  );
}
