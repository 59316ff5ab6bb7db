import { DispatchHub } from '@paymount/core/events';
import {
  type AccountId,
  type BankAccountId,
  parseId,
  type TestClockId,
} from '@paymount/core/kernel';
import type { Readers } from '@paymount/core/store';
import { createPostgresStorage, type PostgresStorage } from '@paymount/storage-postgres';
import { expect } from 'chai';
import pg from 'pg';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { seedHistory } from '../support/seed-history.ts';
import { countBlocks } from './count-blocks.ts';
import { StatementRecorder } from './recorded-statements.ts';

const CHARGES = 24_000;
/** Pages of 8 KiB that a list of ten may look at; what is on the clock has over 600 in each table. */
const MOST_BLOCKS = 200;
const CLOCK = `clock_${'1'.repeat(26)}`;
const clock = parseId('clock', CLOCK) as TestClockId;
const BANK = `ba_${'0'.repeat(26)}`;
const destinationId = parseId('ba', BANK) as BankAccountId;
const owner = { accountId: `acct_${'0'.repeat(26)}` as AccountId, environment: 'test' } as const;
const PAGE = { limit: 10 };
const TABLES = [
  'charges',
  'refunds',
  'balance_transactions',
  'events',
  'customers',
  'disputes',
  'payouts',
];

interface Filter {
  readonly clock?: TestClockId;
}
type Listing = (read: Readers, filter: Filter) => Promise<{ readonly data: readonly object[] }>;

const LISTINGS: Readonly<Record<string, Listing>> = {
  charges: (read, filter) => read.charges.list(owner, filter, PAGE),
  refunds: (read, filter) => read.refunds.list(owner, filter, PAGE),
  'balance transactions': (read, filter) => read.ledger.listTransactions(owner, filter, PAGE),
  events: (read, filter) => read.events.list(owner, filter, PAGE),
  'delivered events': (read, filter) =>
    read.events.list(owner, { ...filter, deliverySuccess: true }, PAGE),
  'authorized charges': (read, filter) =>
    read.charges.list(owner, { ...filter, status: 'authorized' }, PAGE),
  'failed charges': (read, filter) =>
    read.charges.list(owner, { ...filter, status: 'failed' }, PAGE),
  'canceled charges': (read, filter) =>
    read.charges.list(owner, { ...filter, status: 'canceled' }, PAGE),
  customers: (read, filter) => read.customers.list(owner, filter, PAGE),
  'customers of an address': (read, filter) =>
    read.customers.list(owner, { ...filter, email: 'buyer@example.com' }, PAGE),
  'disputes of a status': (read, filter) =>
    read.disputes.list(owner, { ...filter, status: 'warning_closed' }, PAGE),
  'payouts to a bank account': (read, filter) =>
    read.payouts.list(owner, { ...filter, destinationId }, PAGE),
};

/**
 * Nine objects of ten are on a clock of 2035 that somebody has left, so they are newer than all that a
 * list of the others shows.
 */
describe('a list beside a history on test clocks', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let postgres: PostgresStorage;
  const recorder = new StatementRecorder();

  before(async () => {
    database = await freshDatabase();
    const sql = new pg.Client({ connectionString: database.url });
    await sql.connect();
    await seedHistory(sql, { charges: CHARGES, accounts: 1 });
    await sql.query('SET session_replication_role = replica');
    // With a description, so that each page of a table has few of them.
    await sql.query(`
      INSERT INTO paymount.customers (account_id, livemode, id, version, email, description, balance,
          preferred_locales, metadata, created)
        SELECT account_id, livemode, replace(id, 'ch_', 'cus_x'), 1, 'buyer@example.com',
          repeat('x', 500), 0, '{}', '{}', created FROM paymount.charges;
      INSERT INTO paymount.disputes (account_id, livemode, id, version, status, charge_id, amount, currency,
          reason, processor_name, processor_reference, due_by, evidence, submission_count, metadata,
          created)
        SELECT account_id, livemode, replace(id, 'ch_', 'dp_'), 1, 'warning_closed', id, 100, 'eur',
          repeat('x', 500), 'sandbox', id, created, '{}', 0, '{}', created FROM paymount.charges;
      INSERT INTO paymount.payouts (account_id, livemode, id, version, status, amount, currency,
          arrival_date, automatic, destination_id, balance_transaction_id, processor_name, description,
          metadata, created)
        SELECT account_id, livemode, replace(id, 'ch_', 'po_'), 1, 'paid', 100, 'eur', created, false,
          '${BANK}', 'txn_1', 'sandbox', repeat('x', 500), '{}', created FROM paymount.charges`);
    for (const table of TABLES) {
      await sql.query(`UPDATE paymount.${table}
        SET test_clock_id = '${CLOCK}', created = created + interval '9 years'
        WHERE NOT livemode AND hashtext(id) % 10 <> 0`);
    }
    await sql.query('VACUUM ANALYZE');
    await sql.end();
    pool = new pg.Pool({ connectionString: database.url, max: 2 });
    recorder.listen(pool);
    postgres = createPostgresStorage({ connection: pool, dispatch: new DispatchHub() });
  });
  after(async () => {
    await postgres.close();
    await pool.end();
    await database.drop();
  });

  for (const [what, list] of Object.entries(LISTINGS)) {
    for (const [which, filter] of [
      ['on none', {}],
      ['on one', { clock }],
    ] as const) {
      it(`reads little for ${what} ${which}`, async () => {
        const ask = () => list(postgres.storage.read, filter);
        expect((await ask()).data).to.have.length(10);
        expect(await countBlocks({ pool, recorder }, ask)).to.be.within(1, MOST_BLOCKS);
      });
    }
  }
});
