import { type DeliveryFilter, DispatchHub } from '@paymount/core/events';
import type { AccountId, EndpointId, EventId, Owner, ReplayId } from '@paymount/core/kernel';
import { createPostgresStorage, type PostgresStorage } from '@paymount/storage-postgres';
import { expect } from 'chai';
import pg from 'pg';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { countBlocks } from './count-blocks.ts';
import { StatementRecorder } from './recorded-statements.ts';

const DELIVERIES = 120_000;
/** Pages of 8 KiB that a list of ten may look at; all deliveries here have over 3,000. */
const MOST_BLOCKS = 200;
/** A merchant deletes endpoints, and their deliveries stay in the log. */
const ENDPOINTS = 40;

const id = <Kind>(prefix: string, n: number): Kind =>
  `${prefix}_${String(n).padStart(26, '0')}` as Kind;
const account = (n: number): AccountId => id('acct', n);
const OWNER: Owner = { accountId: account(0), environment: 'test' };
/** Its few deliveries are the oldest of all. */
const SMALL: Owner = { accountId: account(1), environment: 'test' };

const START_MS = Date.parse('2026-01-01T00:00:00.000Z');
const second = (n: number): Date => new Date(START_MS + n * 1_000);
const EARLY = { lt: second(40_000) };
const MIDDLE = { gte: second(60_000), lt: second(62_000) };

type Listing = readonly [what: string, filter: DeliveryFilter, finds: number, owner?: Owner];

const first = id<EndpointId>('we', 0);
const event = id<EventId>('evt', 50_008);
const replay = id<ReplayId>('rpl', 0);

const LISTINGS: readonly Listing[] = [
  ['of all kinds', {}, 10],
  ['of the middle', { created: MIDDLE }, 10],
  ['of a small and old merchant', {}, 10, SMALL],
  ['of a small and old merchant that failed', { status: 'failed' }, 3, SMALL],
  ['of a type of a small and old merchant', { type: 'payout.paid' }, 0, SMALL],
  ['that succeeded', { status: 'succeeded' }, 10],
  ['that failed long ago', { status: 'failed', created: EARLY }, 10],
  ['that are skipped, which none is', { status: 'skipped' }, 0],
  ['of an event', { event }, 2],
  ['of an object', { objectId: 'ch_50008' }, 2],
  ['of an object that nobody knows', { objectId: 'ch_none' }, 0],
  ['of an endpoint', { endpoint: first }, 10],
  [
    'of an endpoint that failed in the middle',
    { endpoint: first, status: 'failed', created: MIDDLE },
    10,
  ],
  ['of a rare type', { type: 'payout.failed' }, 6],
  ['of a rare type at an endpoint without it', { type: 'payout.failed', endpoint: first }, 0],
  ['of a type at an endpoint', { type: 'charge.succeeded', endpoint: first }, 10],
  ['that were answered with 2xx', { statusClass: '2xx' }, 10],
  ['that were answered with 5xx long ago', { statusClass: '5xx', created: EARLY }, 10],
  ['that were answered with 4xx, which none was', { statusClass: '4xx' }, 0],
  ['that got no answer in time', { error: 'timeout' }, 10],
  ['that got no answer in time at an endpoint', { error: 'timeout', endpoint: first }, 0],
  ['that were answered with 5xx at an endpoint', { statusClass: '5xx', endpoint: first }, 10],
  ['of a replay', { replay }, 10],
  ['of a replay that failed', { replay, status: 'failed' }, 1],
  ['of a replay of somebody else', { replay }, 0, SMALL],
  ['of an event of somebody else', { event }, 0, SMALL],
  ['of an endpoint of somebody else', { endpoint: first }, 0, SMALL],
];

describe(`a list over ${DELIVERIES} deliveries`, function () {
  this.timeout(120_000);
  let database: TestDatabase;
  let pool: pg.Pool;
  let postgres: PostgresStorage;
  const recorder = new StatementRecorder();

  before(async () => {
    database = await freshDatabase();
    const sql = new pg.Client({ connectionString: database.url });
    await sql.connect();
    await sql.query('SET session_replication_role = replica');
    for (const text of seeds()) await sql.query(text);
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

  for (const statistics of ['empty', 'full']) {
    for (const [what, filter, finds, owner = OWNER] of LISTINGS) {
      it(`reads little for those ${what}, with statistics that are ${statistics}`, async () => {
        if (statistics === 'full') await pool.query('ANALYZE paymount.deliveries');
        const list = () => postgres.storage.read.deliveries.list(owner, filter, { limit: 10 });
        expect((await list()).data).to.have.length(finds);
        expect(await countBlocks({ pool, recorder }, list)).to.be.within(1, MOST_BLOCKS);
      });
    }
  }

  it('reads little for an admin who names an account, and sees the same', async () => {
    const scope = { accounts: 'all', environments: ['live', 'test'] } as const;
    const { deliveries } = postgres.directory;
    for (const [what, { ...filter }, finds, owner = OWNER] of LISTINGS) {
      const asked = { ...filter, account: owner.accountId };
      const list = () => deliveries.list(scope, asked, { limit: 10 });
      expect((await list()).data, what).to.have.length(finds);
      expect(await countBlocks({ pool, recorder }, list), what).to.be.within(1, MOST_BLOCKS);
    }
  });
});

const sqlId = (prefix: string, n: string): string => `'${prefix}_' || lpad((${n})::text, 26, '0')`;

/** Delivery `n` is of second `n`; every tenth replays the event before. */
function seeds(): readonly string[] {
  const at = `timestamptz '2026-01-01T00:00:00Z' + n * interval '1 second'`;
  const owner = `${sqlId('acct', 'CASE WHEN n < 20 THEN 1 ELSE 0 END')}`;
  const kind = `CASE WHEN n % 40 = 3 OR n = 7 THEN 1 WHEN n % 40 = 5 THEN 2 ELSE 0 END`;
  return [
    'ALTER TABLE paymount.deliveries SET (autovacuum_enabled = false)',
    'ANALYZE paymount.deliveries',
    `INSERT INTO paymount.accounts (id, name, country, default_currency, status, version, created)
     SELECT ${sqlId('acct', 'n')}, 'Account', 'DE', 'eur', 'active', 1, now()
     FROM generate_series(0, 1) n`,
    `INSERT INTO paymount.webhook_endpoints (id, account_id, livemode, version, url,
       enabled_events, metadata, api_version, status, secret_version, created)
     SELECT ${sqlId('we', 'n')}, ${sqlId('acct', `CASE WHEN n = ${ENDPOINTS} THEN 1 ELSE 0 END`)},
       false, 1, 'https://example.com/' || n, '{*}', '{}', '2026-11-01',
       CASE WHEN n > 0 AND n < ${ENDPOINTS} THEN 'deleted' ELSE 'enabled' END, 1, now()
     FROM generate_series(0, ${ENDPOINTS}) n`,
    `INSERT INTO paymount.replays (id, account_id, livemode, status, rate, dry_run, matched,
       counting, created_count, is_open, created, finished_at)
     VALUES ('${replay}', '${account(0)}', false, 'completed', 200, false, 1, false, 1, false,
       now(), now())`,
    `INSERT INTO paymount.events (id, account_id, livemode, type, api_version, created, object_id,
       object_version, body, source)
     SELECT ${sqlId('evt', 'n')}, ${sqlId('acct', 'CASE WHEN n < 20 THEN 1 ELSE 0 END')}, false,
       'charge.succeeded', '2026-11-01', ${at}, 'ch_' || n, 1, '{}', 'api'
     FROM generate_series(0, ${DELIVERIES} - 1) n`,
    `INSERT INTO paymount.deliveries (account_id, livemode, id, event_id, endpoint_id, event_type,
       origin, replay_id, state, attempt, due_at, created, finished_at, last_status, last_error)
     SELECT ${owner}, false, ${sqlId('dlv', 'n')}, ${sqlId('evt', 'CASE WHEN n % 10 = 9 THEN n - 1 ELSE n END')},
       ${sqlId(
         'we',
         `CASE WHEN n < 20 THEN ${ENDPOINTS} WHEN n % 40 = 5 THEN 1 + n % ${ENDPOINTS - 1}
         WHEN n % 2 = 0 THEN 2 ELSE 0 END`,
       )},
       CASE WHEN n % 20000 = 100 THEN 'payout.failed' ELSE 'charge.succeeded' END,
       CASE WHEN n % 10 = 9 THEN 'replay' ELSE 'event' END,
       CASE WHEN n % 10 = 9 AND n > 19 THEN '${replay}' END,
       CASE k WHEN 0 THEN 'succeeded' ELSE 'failed' END, 8, ${at}, ${at}, ${at},
       CASE k WHEN 0 THEN 200 WHEN 1 THEN 503 END,
       CASE k WHEN 1 THEN 'http_status' WHEN 2 THEN 'timeout' END
     FROM (SELECT n, ${kind} AS k FROM generate_series(0, ${DELIVERIES} - 1) n) s`,
    `UPDATE paymount.deliveries SET state = 'failed', last_status = 503, last_error = 'http_status'
     WHERE id = ${sqlId('dlv', '99')}`,
  ];
}
