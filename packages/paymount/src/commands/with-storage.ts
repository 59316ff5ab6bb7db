import { DispatchHub } from '@paymount/core';
import { createPostgresStorage, type PostgresStorage } from '@paymount/storage-postgres';
import type { Settings } from './settings.ts';

/**
 * Opens storage for one command, checks that its schema fits, and closes it in any case.
 * @throws SchemaError when the schema was not migrated, or by another version
 * @throws DatabaseError when there is no connection, or the server cannot be worked on as it is
 */
export async function withStorage<Result>(
  settings: Settings,
  work: (storage: PostgresStorage) => Promise<Result>,
): Promise<Result> {
  const storage = createPostgresStorage({
    connection: settings.database,
    pool: { max: 2 },
    // Right behind any pooler; a command is over before preparing would pay.
    preparedStatements: false,
    dispatch: new DispatchHub(),
    ...(settings.schema === undefined ? {} : { schema: settings.schema }),
  });
  try {
    await storage.assertSchema();
    return await work(storage);
  } finally {
    await storage.close();
  }
}
