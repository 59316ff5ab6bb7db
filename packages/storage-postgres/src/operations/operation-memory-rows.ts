import type { OperationMemoryRepository } from '@paymount/core/payments';
import type { Session } from '../session.ts';
import { statement } from '../shared/statement.ts';

interface RecordRow {
  readonly record: string;
}

const insert = statement(
  'pm_memory_remember_v1',
  (s) => `INSERT INTO ${s}.sandbox_operations (operation_id, record) VALUES ($1, $2)
    ON CONFLICT DO NOTHING RETURNING record`,
);
const select = statement(
  'pm_memory_recall_v1',
  (s) => `SELECT record FROM ${s}.sandbox_operations WHERE operation_id = $1`,
);

/**
 * The operations that the sandbox processor executed, so that it can answer look-ups after a crash.
 */
export function operationMemoryRows(session: Session): OperationMemoryRepository {
  const recall: OperationMemoryRepository['recall'] = async (operationId) =>
    (await session.query<RecordRow>(select, [operationId])).rows[0]?.record;
  return {
    async remember(operationId, record) {
      const [inserted] = (await session.query<RecordRow>(insert, [operationId, record])).rows;
      if (inserted) return inserted.record;
      // The conflicting row is committed by now, because the insert waited for it.
      return (await recall(operationId)) ?? record;
    },
    recall,
  };
}
