import type { OperationId } from '@paymount/core/kernel';
import type { OperationMemoryRepository, PlannedNotice } from '@paymount/core/payments';

/** A memory of operations that processors of one test share, as they share the database. */
export interface SharedMemory extends OperationMemoryRepository {
  /** What the sandbox will report about an operation. */
  plannedOf(id: OperationId): readonly PlannedNotice[];
}

export function sharedMemory(): SharedMemory {
  const records = new Map<string, string>();
  const plans = new Map<string, readonly PlannedNotice[]>();
  return {
    remember: async (id, record, planned = []) => {
      if (!records.has(id)) {
        records.set(id, record);
        plans.set(id, planned);
      }
      return records.get(id) ?? record;
    },
    recall: async (id) => records.get(id),
    timeOn: async () => undefined,
    plannedOf: (id) => plans.get(id) ?? [],
  };
}
