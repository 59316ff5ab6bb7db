import { firstIdAt } from '@paymount/core/kernel';
import type { Session } from '../session.ts';
import { statement } from '../shared/statement.ts';
import { inTransaction } from '../transaction.ts';

const purge = statement(
  'pm_replays_purge_v1',
  (s) => `WITH old AS MATERIALIZED (
  SELECT r.id FROM ${s}.replays r
  WHERE r.id < $3::text AND r.finished_at < $1 AND NOT r.is_open
    AND (SELECT d.id FROM ${s}.deliveries d WHERE d.replay_id = r.id ORDER BY d.id LIMIT 1) IS NULL
  ORDER BY r.id LIMIT $2::integer FOR UPDATE SKIP LOCKED),
targets AS (
  DELETE FROM ${s}.replay_targets t WHERE t.replay_id = ANY (ARRAY(SELECT id FROM old)))
DELETE FROM ${s}.replays r WHERE r.id = ANY (ARRAY(SELECT id FROM old))`,
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
