import { DispatchHub } from '@paymount/core/events';
import type { AccountId, Owner } from '@paymount/core/kernel';
import type { Readers } from '@paymount/core/store';
import { createPostgresStorage, type PostgresStorage } from '@paymount/storage-postgres';
import { expect } from 'chai';
import pg from 'pg';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { seedHistory } from '../support/seed-history.ts';
import { countBlocks } from './count-blocks.ts';
import { StatementRecorder } from './recorded-statements.ts';

const CHARGES = 24_000;
/** Pages of 8 KiB that a list of ten may look at; each whole history here has over 600. */
const MOST_BLOCKS = 200;

const account = `acct_${'0'.repeat(26)}` as AccountId;
const PAGE = { limit: 10 };
const START_MS = Date.parse('2026-01-01T00:00:00.000Z');
const second = (n: number): Date => new Date(START_MS + n * 1_000);
/** Far back, where all else is newer; and a stretch in the middle. */
const EARLY = { lt: second(400) };
const MIDDLE = { gte: second(CHARGES / 2), lt: second(CHARGES / 2 + 200) };
const WIDE = { gt: second(100) };

type Finds = readonly [test: number, live: number];

interface Listing {
  readonly what: string;
  readonly list: (read: Readers, owner: Owner) => Promise<{ readonly data: readonly object[] }>;
  /** How many it finds, in test and in live. @defaultValue ten in both */
  readonly finds?: Finds;
}

const charges = (
  what: string,
  filter: Parameters<Readers['charges']['list']>[1],
  finds?: Finds,
): Listing => ({
  what: `charges ${what}`,
  list: (read, owner) => read.charges.list(owner, filter, PAGE),
  ...(finds === undefined ? {} : { finds }),
});
const lines = (
  what: string,
  filter: Parameters<Readers['ledger']['listTransactions']>[1],
  finds?: Finds,
): Listing => ({
  what: `balance transactions ${what}`,
  list: (read, owner) => read.ledger.listTransactions(owner, filter, PAGE),
  ...(finds === undefined ? {} : { finds }),
});
const events = (
  what: string,
  filter: Parameters<Readers['events']['list']>[1],
  finds?: Finds,
): Listing => ({
  what: `events ${what}`,
  list: (read, owner) => read.events.list(owner, filter, PAGE),
  ...(finds === undefined ? {} : { finds }),
});

const LISTINGS: readonly Listing[] = [
  charges('of all kinds', {}),
  charges('that succeeded', { status: 'succeeded' }),
  charges('that succeeded long ago', { status: 'succeeded', created: EARLY }),
  charges('that failed', { status: 'failed' }),
  charges('that failed since the beginning', { status: 'failed', created: WIDE }),
  charges('that failed in the middle', { status: 'failed', created: MIDDLE }, [7, 3]),
  charges('that are authorized', { status: 'authorized' }),
  charges('that were canceled long ago', { status: 'canceled', created: EARLY }, [10, 5]),
  charges('that are pending, which none is', { status: 'pending' }, [0, 0]),
  charges('of long ago', { created: EARLY }),
  charges('of the middle', { created: MIDDLE }),
  charges('since the beginning', { created: WIDE }),
  {
    what: 'refunds of long ago',
    list: (read, owner) => read.refunds.list(owner, { created: EARLY }, PAGE),
  },
  { what: 'refunds of all', list: (read, owner) => read.refunds.list(owner, {}, PAGE) },
  lines('of all kinds', {}),
  lines('of long ago', { created: EARLY }),
  lines('in the currency of all', { currency: 'eur', created: MIDDLE }),
  lines('in a currency without any', { currency: 'usd' }, [0, 0]),
  lines('of failed refunds', { types: ['refund_failure'] }),
  lines('of failed refunds long ago', { types: ['refund_failure'], created: EARLY }, [10, 5]),
  lines('of charges long ago', { types: ['charge'], created: EARLY }),
  events('of all types', {}),
  events('of long ago', { created: EARLY }),
  events('of a rare type', { types: ['charge.captured'] }),
  events('of a rare type long ago', { types: ['charge.captured'], created: EARLY }, [10, 5]),
  events('of a type that never was', { types: ['payout.paid'] }, [0, 0]),
  events(
    'of two types in the middle',
    {
      types: ['charge.failed', 'charge.refunded'],
      created: MIDDLE,
    },
    [10, 6],
  ),
  events('that were delivered', { deliverySuccess: true }),
  events('that were not delivered, of which there is one', { deliverySuccess: false }, [1, 0]),
];

/** The oldest event of test failed at an endpoint. */
const UNDELIVERED = `
  WITH e AS (INSERT INTO paymount.webhook_endpoints (id, account_id, livemode, version, url,
    enabled_events, metadata, api_version, status, secret_version, created)
    VALUES ('we_${'0'.repeat(26)}', '${account}', false, 1, 'https://example.com', '{*}', '{}', '2026-11-01',
      'enabled', 1, now()) RETURNING id)
  INSERT INTO paymount.deliveries (account_id, livemode, id, event_id, endpoint_id, event_type,
    origin, state, attempt, due_at, created, finished_at)
  SELECT v.account_id, false, 'dlv_${'0'.repeat(26)}', v.id, e.id, v.type, 'event', 'failed', 8,
    v.created, v.created, v.created
  FROM e, (SELECT * FROM paymount.events WHERE NOT livemode ORDER BY created, id LIMIT 1) v`;

describe(`a list over ${CHARGES} charges`, () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let postgres: PostgresStorage;
  const recorder = new StatementRecorder();

  before(async () => {
    database = await freshDatabase();
    const sql = new pg.Client({ connectionString: database.url });
    await sql.connect();
    await seedHistory(sql, { charges: CHARGES, accounts: 1 });
    await sql.query(UNDELIVERED);
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

  for (const { what, list, finds = [10, 10] } of LISTINGS) {
    for (const environment of ['test', 'live'] as const) {
      it(`reads little for ${what} in ${environment}`, async () => {
        const owner = { accountId: account, environment };
        const { data } = await list(postgres.storage.read, owner);
        expect(data).to.have.length(finds[environment === 'test' ? 0 : 1]);
        const blocks = await countBlocks({ pool, recorder }, () =>
          list(postgres.storage.read, owner),
        );
        expect(blocks).to.be.within(1, MOST_BLOCKS);
      });
    }
  }
});
