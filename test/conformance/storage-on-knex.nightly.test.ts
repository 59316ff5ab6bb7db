import { storageCases } from '@paymount/testing';
import { knex as createKnex, type Knex } from 'knex';
import { postgresStorage } from 'paymount/storage';
import { emptyDatabase, type TestDatabase } from '../support/database.ts';

describe("storage on a host's knex: one connection, a schema of its own, nothing prepared", () => {
  const lacks = [
    'parallel-transactions',
    'access-change-notifications',
    'delivery-notifications',
  ] as const;
  let database: TestDatabase;
  let host: Knex;

  before(async () => {
    database = await emptyDatabase();
    // A host that renames identifiers and results, and reads int8 its own way.
    host = createKnex({
      client: 'pg',
      connection: database.url,
      pool: { min: 0, max: 1 },
      wrapIdentifier: (name, wrap) => wrap(`host_${name}`),
      postProcessResponse: () => 'nothing of ours',
    });
  });
  after(async () => {
    await host.destroy();
    await database.drop();
  });

  const cases = storageCases(
    () => ({
      ...postgresStorage({ database: host, schema: 'Shop_1', preparedStatements: false }),
      lacks,
    }),
    { lacks, hostTransaction: (work) => host.transaction(work) },
  );
  for (const { name, leftOut, run } of cases) if (leftOut === undefined) it(name, run);
});
