import { DispatchHub } from '@paymount/core/events';
import type { Stores } from '@paymount/core/store';
import type { Settings } from './settings.ts';

/**
 * Opens storage for one command, checks that its schema fits, and closes it in any case.
 * @throws SchemaError when the schema was not migrated, or by another version
 * @throws DatabaseError when there is no connection, or the server cannot be worked on as it is
 */
export async function withStorage<Result>(
  { adapter }: Pick<Settings, 'adapter'>,
  work: (stores: Stores) => Promise<Result>,
): Promise<Result> {
  const stores = adapter.open({
    dispatch: new DispatchHub(),
    clock: { shiftMs: 0 },
    // Other processes hear of it from the store, or within the lease.
    onAccessChange: () => undefined,
  });
  try {
    await stores.assertSchema();
    return await work(stores);
  } finally {
    await stores.close();
  }
}
