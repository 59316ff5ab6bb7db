import { DispatchHub } from '@paymount/core/events';
import { newId } from '@paymount/core/kernel';
import { foldBalances } from '@paymount/core/ledger';
import { createPostgresStorage, migrate, type PostgresStorage } from '@paymount/storage-postgres';
import { expect } from 'chai';
import { MIGRATIONS } from '../../packages/storage-postgres/src/schema/migrations/all-migrations.ts';
import { emptyDatabase, query, type TestDatabase } from '../support/database.ts';
import { type ExplainingPool, explainingPool } from '../support/explaining-pool.ts';

const ACCOUNT = newId('acct');
const DEBITS = 3_000;
const OWNER = `account_id, livemode, currency`;
const OF = `'${ACCOUNT}', false, 'usd'`;
const BEFORE = MIGRATIONS.findIndex(({ name }) => name === '0069-pending-bank-funds');

/** Balance transactions as a capture, a refund or its failure adds them. */
function booked(type: string, from: number, to: number, amount: string, fee = '0'): string {
  return `INSERT INTO paymount.balance_transactions
      (${OWNER}, id, type, source_id, amount, fee, fee_details, status, available_on, created)
    SELECT ${OF}, 'txn_${type}_' || n, '${type}', '${type}_' || n, ${amount}, ${fee}, '[]',
      'pending', timestamptz '2026-11-21' + n * interval '1 second', '2026-11-21'
    FROM generate_series(${from}, ${to}) AS n;`;
}

/** Refunds of debits, by the same numbers; those above the debits are of cards. */
function refunds(from: number, to: number): string {
  return `SET session_replication_role = replica;
    INSERT INTO paymount.refunds (account_id, livemode, id, version, status, charge_id, amount,
        currency, metadata, created)
      SELECT '${ACCOUNT}', false, 'refund_' || n, 1, 'pending', 'payment_' || n, 1, 'usd', '{}',
        '2026-11-21' FROM generate_series(${from}, ${to}) AS n;
    SET session_replication_role = DEFAULT;`;
}

describe('what is pending of bank debits', () => {
  let database: TestDatabase;
  let explaining: ExplainingPool;
  let postgres: PostgresStorage;

  beforeEach(async () => {
    database = await emptyDatabase();
    await migrate({ connection: database.url, migrations: MIGRATIONS.slice(0, BEFORE) });
    await query(
      database.url,
      `INSERT INTO paymount.accounts (id, name, country, default_currency, status, version, created)
         VALUES ('${ACCOUNT}', 'Shop', 'US', 'usd', 'active', 1, '2026-11-21');
       INSERT INTO paymount.ledger_account (${OWNER}, code, balance)
         SELECT ${OF}, code, 0 FROM unnest(ARRAY['pending', 'available', 'reserved']) AS code;
       ${booked('payment', 1, 10, '1000', '10')} ${refunds(1, 30)}
       ${booked('refund', 1, 2, '-100')} ${booked('charge', 1, 5, '7000')}
       UPDATE paymount.balance_transactions SET status = 'available' WHERE source_id = 'payment_10';`,
    );
    await migrate({ connection: database.url });
    explaining = explainingPool(database.url);
    postgres = createPostgresStorage({ connection: explaining.pool, dispatch: new DispatchHub() });
  });
  afterEach(async () => {
    await postgres.close();
    await explaining.pool.end();
    await database.drop();
  });

  const sql = (text: string) => query(database.url, text);
  const pendingOfBanks = async (): Promise<bigint | undefined> => {
    const owner = { accountId: ACCOUNT, environment: 'test' } as const;
    return (await postgres.storage.read.ledger.balances(owner))[0]?.pendingOfBanks;
  };
  const fold = () => foldBalances(postgres.storage);
  const rule = 'What is pending of bank debits is the sum of their pending balance transactions.';
  const differences = async () =>
    (await postgres.verify()).filter((difference) => difference.rule === rule);

  it('is what earlier debits have left, and follows debits, refunds, failed refunds and releases', async () => {
    // Nine of ten debits of 990, less two refunds of 100.
    expect(await pendingOfBanks()).to.equal(8_710n);
    await sql(booked('payment', 11, 20, '2000', '20'));
    expect(await pendingOfBanks()).to.equal(28_510n);
    await sql(booked('refund', 3, 4, '-100') + booked('refund', 21, 30, '-50'));
    // Those above 20 are of cards.
    expect(await pendingOfBanks()).to.equal(28_310n);
    await sql(booked('refund_failure', 1, 1, '100').replaceAll("'refund_failure_'", "'refund_'"));
    expect(await pendingOfBanks()).to.equal(28_410n);
    await sql(`UPDATE paymount.balance_transactions SET status = 'available'
      WHERE source_id IN ('payment_1', 'payment_11', 'refund_1', 'charge_1', 'refund_21')`);
    expect(await pendingOfBanks()).to.equal(25_440n);
    expect(await differences()).to.deep.equal([]);
    await fold();
    expect(await pendingOfBanks()).to.equal(25_440n);
    expect(await differences()).to.deep.equal([]);
  });

  it('is read with as few pages, however many debits are pending', async () => {
    await sql(booked('payment', 21, 20 + DEBITS, '1000'));
    await sql(`INSERT INTO paymount.ledger_tail (ledger_account_id, amount)
      SELECT id, 1 FROM paymount.ledger_account WHERE code = 'pending'`);
    await fold();
    await sql('VACUUM ANALYZE');
    const explained = await explaining.explain(pendingOfBanks);
    for (const { blocks, plan } of explained) expect(blocks, plan).to.be.below(40);
    expect(await pendingOfBanks()).to.equal(3_008_710n);
    const [rows] = await sql('SELECT count(*)::integer AS n FROM paymount.pending_bank_funds');
    expect(rows).to.deep.equal({ n: 1 });
  });

  it('agrees after debits, releases and folds at the same time', async () => {
    await Promise.all(
      Array.from({ length: 24 }, async (_, at) => {
        const from = 100 + at * 10;
        await sql(booked('payment', from, from + 9, '1000'));
        await sql(`INSERT INTO paymount.ledger_tail (ledger_account_id, amount)
          SELECT id, 1 FROM paymount.ledger_account WHERE code = 'pending'`);
        await Promise.all([
          fold(),
          sql(`UPDATE paymount.balance_transactions SET status = 'available'
            WHERE source_id IN (SELECT 'payment_' || n FROM generate_series(${from}, ${from + 4}) n)`),
        ]);
      }),
    );
    await fold();
    // Half of 240 debits are left, besides those before.
    expect(await pendingOfBanks()).to.equal(128_710n);
    expect(await differences()).to.deep.equal([]);
  });
});
