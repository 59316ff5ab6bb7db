import { DispatchHub } from '@paymount/core/events';
import { type AccountId, parseId, type TestClockId } from '@paymount/core/kernel';
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
const owner = { accountId: `acct_${'0'.repeat(26)}` as AccountId, environment: 'test' } as const;
const PAGE = { limit: 10 };

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
    for (const table of ['charges', 'refunds', 'balance_transactions', 'events']) {
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
