import { DispatchHub } from '@paymount/core';
import { storageCases } from '@paymount/core/conformance';
import { createPostgresStorage, type PostgresStorage } from '@paymount/storage-postgres';
import { freshDatabase, type TestDatabase } from '../support/database.ts';

describe('storage on PostgreSQL', () => {
  let database: TestDatabase;
  let postgres: PostgresStorage;
  const hub = new DispatchHub();

  before(async () => {
    database = await freshDatabase();
    postgres = createPostgresStorage({ connection: database.url, dispatch: hub });
  });

  after(async () => {
    await postgres.close();
    await database.drop();
  });

  for (const { name, run } of storageCases(() => ({ ...postgres, hub }))) it(name, run);
});
