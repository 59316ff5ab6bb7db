import { DispatchHub } from '@paymount/core/events';
import type { Stores } from '@paymount/core/store';
import type { Settings } from './settings.ts';

/**
 * Opens storage for one command, checks that its schema fits, and closes it in any case.
 * @throws SchemaError if the schema was not migrated, or by another version
 * @throws DatabaseError if there is no connection, or the server is not supported
 */
export async function withStorage<Result>(
  { adapter }: Pick<Settings, 'adapter'>,
  work: (stores: Stores) => Promise<Result>,
): Promise<Result> {
  const stores = adapter.open({
    dispatch: new DispatchHub(),
    clock: { shiftMs: 0 },
    // Other processes get a notification of the store, or notice the change within the lease.
    onAccessChange: () => undefined,
  });
  try {
    await stores.assertSchema();
    return await work(stores);
  } finally {
    await stores.close();
  }
}
