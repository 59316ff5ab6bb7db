import type { OperationMemoryRepository } from '@paymount/core/payments';
import { statement } from '../connection/statement.ts';
import type { Session } from '../transaction/session.ts';

interface RecordRow {
  readonly record: string;
}

const insert = statement(
  'pm_memory_remember_v4',
  (s) => `WITH remembered AS (
      INSERT INTO ${s}.sandbox_operations (operation_id, record) VALUES ($1, $2)
      ON CONFLICT DO NOTHING RETURNING record),
    planned AS (
      INSERT INTO ${s}.sandbox_notices (notice_id, due_at, body, test_clock_id)
      SELECT n.* FROM remembered
      CROSS JOIN unnest($3::text[], $4::timestamptz[], $5::text[], $6::text[]) AS n (id, due, body, clock)
      -- Whoever deletes the clock waits, and then finds them.
      WHERE n.clock IS NULL OR EXISTS (SELECT FROM ${s}.test_clocks k
        WHERE k.id = n.clock AND k.deleted_at IS NULL FOR SHARE)
      ON CONFLICT DO NOTHING)
    SELECT record FROM remembered`,
);
const select = statement(
  'pm_memory_recall_v1',
  (s) => `SELECT record FROM ${s}.sandbox_operations WHERE operation_id = $1`,
);

const timeOn = statement(
  'pm_memory_time_v2',
  (s) => `SELECT CASE WHEN deleted_at IS NULL THEN frozen_time
      ELSE timestamptz '9999-01-01T00:00:00Z' END AS frozen_time
    FROM ${s}.test_clocks WHERE id = $1`,
);

/**
 * The operations that the sandbox processor executed, so that it can answer look-ups after a crash.
 */
export function operationMemoryRows(session: Session): OperationMemoryRepository {
  const recall: OperationMemoryRepository['recall'] = async (operationId) =>
    (await session.query<RecordRow>(select, [operationId])).rows[0]?.record;
  return {
    async remember(operationId, record, planned = []) {
      const [inserted] = (
        await session.query<RecordRow>(insert, [
          operationId,
          record,
          planned.map(({ noticeId }) => noticeId),
          planned.map(({ dueAt }) => dueAt),
          planned.map(({ text }) => text),
          planned.map(({ clock = null }) => clock),
        ])
      ).rows;
      if (inserted) return inserted.record;
      // The conflicting row is committed by now, because the insert waited for it.
      return (await recall(operationId)) ?? record;
    },
    recall,
    async timeOn(clock) {
      const { rows } = await session.query<{ frozen_time: Date }>(timeOn, [clock]);
      return rows[0]?.frozen_time;
    },
  };
}
