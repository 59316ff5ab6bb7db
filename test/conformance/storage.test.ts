import { DispatchHub } from '@paymount/core';
import { storageCases } from '@paymount/core/conformance';
import { createPostgresStorage, migrate, type PostgresStorage } from '@paymount/storage-postgres';
import { expect } from 'chai';
import { knex as createKnex, type Knex } from 'knex';
import { emptyDatabase, freshDatabase, type TestDatabase } from '../support/database.ts';

const hub = new DispatchHub();

describe('storage on PostgreSQL, by connection string', () => {
  let database: TestDatabase;
  let postgres: PostgresStorage;

  before(async () => {
    database = await freshDatabase();
    postgres = createPostgresStorage({ connection: database.url, dispatch: hub });
  });
  after(async () => {
    await postgres.close();
    await database.drop();
  });

  for (const { name, run } of storageCases(() => ({ ...postgres, hub }))) it(name, run);

  it('leaves books that sum up after all these cases', async () => {
    const broken = (await postgres.verify()).map(({ rule }) => rule);
    expect(broken).to.not.include.members(['The entries of a ledger transaction sum to zero.']);
    expect(broken).to.not.include.members([
      'The balance of a limited ledger account is what its entries sum to.',
    ]);
  });
});

describe("storage on a host's knex: one connection, a schema of its own, nothing prepared", () => {
  let database: TestDatabase;
  let knex: Knex;
  let postgres: PostgresStorage;

  before(async () => {
    database = await emptyDatabase();
    // A host that renames identifiers and results, and reads int8 its own way.
    knex = createKnex({
      client: 'pg',
      connection: database.url,
      pool: { min: 0, max: 1 },
      wrapIdentifier: (name, wrap) => wrap(`host_${name}`),
      postProcessResponse: () => 'nothing of ours',
    });
    const schema = 'Shop_1';
    await migrate({ connection: knex, schema });
    postgres = createPostgresStorage({
      connection: knex,
      schema,
      dispatch: hub,
      preparedStatements: false,
    });
    await postgres.assertSchema();
  });
  after(async () => {
    await postgres.close();
    await knex.destroy();
    await database.drop();
  });

  for (const { name, run } of storageCases(() => ({ ...postgres, hub }))) it(name, run);
});
