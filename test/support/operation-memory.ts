import type { OperationMemoryRepository } from '@paymount/core/payments';

/** A memory of operations that processors of one test share, as they share the database. */
export function sharedMemory(): OperationMemoryRepository {
  const records = new Map<string, string>();
  return {
    remember: async (id, record) => {
      if (!records.has(id)) records.set(id, record);
      return records.get(id) ?? record;
    },
    recall: async (id) => records.get(id),
    timeOn: async () => undefined,
  };
}
