import { firstIdAt } from '@paymount/core/kernel';
import { statement } from '../connection/statement.ts';
import type { ExportWalk, SeenRow } from '../exports/exported.ts';
import type { Session } from '../transaction/session.ts';
import { inTransaction } from '../transaction/transaction.ts';

/** A replay (`r`) that is deleted. `$1`: before when it finished. */
const oldSql = (s: string): string => `r.finished_at < $1 AND NOT r.is_open
    AND (SELECT d.id FROM ${s}.deliveries d WHERE d.replay_id = r.id ORDER BY d.id LIMIT 1) IS NULL`;
const purgeSql = (s: string, which: string): string => `WITH old AS MATERIALIZED (
  SELECT r.id FROM ${s}.replays r WHERE ${oldSql(s)} AND ${which} FOR UPDATE SKIP LOCKED),
targets AS (
  DELETE FROM ${s}.replay_targets t WHERE t.replay_id = ANY (ARRAY(SELECT id FROM old)))
DELETE FROM ${s}.replays r WHERE r.id = ANY (ARRAY(SELECT id FROM old))`;
const purge = statement('pm_replays_purge_v1', (s) =>
  purgeSql(s, 'r.id < $3::text ORDER BY r.id LIMIT $2::integer'),
);
const remove = statement('pm_replays_remove_v1', (s) => purgeSql(s, 'r.id = ANY ($2::text[])'));
const read = statement(
  'pm_replays_purge_read_v1',
  (s) => `SELECT r.id, CASE WHEN ${oldSql(s)} THEN to_jsonb(r) || jsonb_build_object('targets', (
      SELECT jsonb_agg(to_jsonb(t)) FROM ${s}.replay_targets t WHERE t.replay_id = r.id)) END AS shown
    FROM ${s}.replays r WHERE r.id > $2::text AND r.id < $3::text ORDER BY r.id LIMIT $4::integer`,
);

/** Deletes finished replays; see `ReplayQueue.purge`. @returns how many */
export async function purgeReplays(
  session: Session,
  finishedBefore: Date,
  limit: number,
): Promise<number> {
  const end = firstIdAt('rpl', finishedBefore.getTime());
  const purged = await inTransaction(session, (inner) =>
    inner.query(purge, [finishedBefore, limit, end]),
  );
  return purged.rowCount ?? 0;
}

/** Reads the next replays, with those that would be deleted. */
export async function readOldReplays(
  session: Session,
  { before, after = '', limit }: Pick<ExportWalk, 'before' | 'after' | 'limit'>,
): Promise<readonly SeenRow[]> {
  const end = firstIdAt('rpl', before.getTime());
  return (await session.query<SeenRow>(read, [before, after, end, limit])).rows;
}

/** Deletes those of these replays that are still to be deleted. */
export async function removeReplays(
  session: Session,
  ids: readonly string[],
  before: Date,
): Promise<number> {
  return inTransaction(
    session,
    async (inner) => (await inner.query(remove, [before, ids])).rowCount ?? 0,
  );
}
