import { DispatchHub } from '@paymount/core/events';
import type { AccountId } from '@paymount/core/kernel';
import { releaseFunds } from '@paymount/core/ledger';
import { createPostgresStorage, type PostgresStorage } from '@paymount/storage-postgres';
import { expect } from 'chai';
import pg from 'pg';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { systemClock } from './bench-clock.ts';
import { type Child, startChild } from './child.ts';
import { FUNDS, seedDueFunds, seedLedgers } from './due-funds.ts';
import { FIRST_ACCOUNT, seedAccounts } from './seeds.ts';

const ACCOUNTS = 40;
const DUE = 10_000;
const EACH = BigInt((DUE / ACCOUNTS) * FUNDS);

describe('funds that become available', () => {
  let database: TestDatabase;
  let postgres: PostgresStorage;
  let sql: pg.Client;
  const workers: Child[] = [];

  before(async () => {
    database = await freshDatabase();
    postgres = createPostgresStorage({ connection: database.url, dispatch: new DispatchHub() });
    sql = new pg.Client({ connectionString: database.url });
    await sql.connect();
    const seeded = {
      query: async <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) =>
        (await sql.query<Row>(text, values)).rows,
    };
    await seedAccounts(seeded, ACCOUNTS);
    await seedLedgers(seeded, ACCOUNTS);
    await seedDueFunds(seeded, { accounts: ACCOUNTS, count: DUE });
    workers.push(
      ...(await Promise.all(
        [1, 2].map(() => startChild('release-child.ts', { BENCH_DATABASE_URL: database.url })),
      )),
    );
  });
  after(async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    await sql.end();
    await postgres.close();
    await database.drop();
  });

  const balanceOf = async (account: number) => {
    const accountId = String(FIRST_ACCOUNT + BigInt(account)) as AccountId;
    const owner = { accountId, environment: 'test' } as const;
    return (await postgres.storage.read.ledger.balances(owner))[0];
  };

  it(`are released by two workers at once, ${DUE} of them, once each and without a deadlock`, async () => {
    expect(await balanceOf(0)).to.include({ pending: EACH, available: 0n });
    await Promise.all(workers.map((worker) => worker.ask('release')));
    // A backend that ends has told all that it counted.
    await Promise.all(workers.map((worker) => worker.stop()));
    const { rows } = await sql.query(
      `SELECT (SELECT deadlocks::integer FROM pg_stat_database WHERE datname = current_database()),
         (SELECT count(*)::integer FROM paymount.ledger_transaction WHERE kind = 'availability')
           AS released`,
    );
    expect(rows).to.deep.equal([{ deadlocks: 0, released: DUE }]);
    for (let account = 0; account < ACCOUNTS; account += 1) {
      expect(await balanceOf(account)).to.include({ pending: 0n, available: EACH });
    }
    expect(await releaseFunds({ storage: postgres.storage, clock: systemClock })).to.equal(false);
  });
});
