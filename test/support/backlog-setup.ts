import { DispatchHub } from '@paymount/core/events';
import { type AccountId, newId, type Owner } from '@paymount/core/kernel';
import { createPostgresStorage, type PostgresStorage } from '@paymount/storage-postgres';
import pg from 'pg';
import { freshDatabase } from './database.ts';
import { type ExplainingPool, explainingPool } from './explaining-pool.ts';
import { storeAccount } from './store-account.ts';

/** When PostgreSQL last counted the rows of the tables. */
export const STATISTICS = [
  'empty',
  'of ten rows',
  'of a time without pending deliveries',
  'of a time when one endpoint had all of them',
  'full',
] as const;
export type Statistics = (typeof STATISTICS)[number];

/** How many rows there are. */
export interface Backlog {
  /** Deliveries that succeeded earlier, over all endpoints. */
  readonly done: number;
  /** Due at the first endpoint. */
  readonly atFirst: number;
  /** Endpoints with one due delivery each, besides the first. */
  readonly others: number;
}

/** A database with a backlog, whose statements are explained. */
export interface BacklogSetup {
  readonly owner: Owner & { readonly accountId: AccountId };
  /** An account with one endpoint, for events of payouts, which the backlog does not concern. */
  readonly publisher: Owner;
  readonly databaseUrl: string;
  readonly postgres: PostgresStorage;
  readonly explain: ExplainingPool['explain'];
  query<Row extends object>(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** Replaces all deliveries, and counts the rows of the tables at the given time. */
  load(backlog: Backlog, statistics: Statistics): Promise<void>;
  close(): Promise<void>;
}

/** Of the publisher; PostgreSQL never counts them. */
const KEYS = 10_000;

interface Size {
  readonly endpoints: number;
  readonly events: number;
}

/** @param size as many events as one endpoint has deliveries */
export async function openBacklogSetup(size: Size): Promise<BacklogSetup> {
  const database = await freshDatabase();
  const { pool, explain } = explainingPool(database.url);
  const postgres = createPostgresStorage({ connection: pool, dispatch: new DispatchHub() });
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const accountId = newId('acct');
  const publisherId = newId('acct');
  for (const id of [accountId, publisherId]) await storeAccount(postgres, id, new Date());
  await postgres.deliveries.createPartitions(new Date(), 1);
  await seed(client, { accountId, publisherId }, size);
  return {
    owner: { accountId, environment: 'test' },
    publisher: { accountId: publisherId, environment: 'test' },
    databaseUrl: database.url,
    postgres,
    explain,
    query: async <Row extends object>(sql: string, values: readonly unknown[] = []) =>
      (await client.query<Row>(sql, [...values])).rows,
    load: (backlog, statistics) => load(client, size, backlog, statistics),
    async close() {
      await postgres.close();
      await pool.end();
      await client.end();
      await database.drop();
    },
  };
}

async function seed(
  client: pg.Client,
  { accountId, publisherId }: Readonly<Record<'accountId' | 'publisherId', AccountId>>,
  { endpoints, events }: Size,
): Promise<void> {
  for (const table of ['deliveries', 'api_keys']) {
    await client.query(`ALTER TABLE paymount.${table} SET (autovacuum_enabled = false)`);
  }
  await client.query(
    `INSERT INTO paymount.webhook_endpoints (id, account_id, livemode, version, url,
       enabled_events, metadata, api_version, status, secret_version, created)
     SELECT 'we_' || lpad(n::text, 26, '0'), $1, false, 1, 'http://127.0.0.1:9/' || n,
       '{charge.*}'::text[], '{}'::jsonb, '2026-11-01', 'enabled', 1, now()
     FROM generate_series(0, $2::integer - 1) n
     UNION ALL
     SELECT 'we_publisher', $3, false, 1, 'http://127.0.0.1:9/', '{payout.*}', '{}', '2026-11-01',
       'enabled', 1, now()`,
    [accountId, endpoints, publisherId],
  );
  await client.query(
    `INSERT INTO paymount.events (id, account_id, livemode, type, api_version, created, object_id,
       object_version, body, source)
     SELECT 'evt_' || lpad(n::text, 26, '0'), $1, false, 'charge.succeeded', '2026-11-01', now(),
       'ch_' || n, 1, '{}', 'api' FROM generate_series(0, $2::integer - 1) n`,
    [accountId, events],
  );
  await client.query(
    `INSERT INTO paymount.api_keys (id, account_id, livemode, type, name, hash, redacted, status,
       version, created, created_by)
     SELECT 'key_' || lpad(n::text, 26, '0'), $1, false, 'secret', 'Key ' || n,
       sha256(n::text::bytea), 'sk_test_...', 'active', 1, now(), 'host'
     FROM generate_series(0, ${KEYS} - 1) n`,
    [publisherId],
  );
  await client.query('VACUUM ANALYZE paymount.events, paymount.webhook_endpoints');
}

async function load(
  client: pg.Client,
  { endpoints, events }: Size,
  { done, atFirst, others }: Backlog,
  statistics: Statistics,
): Promise<void> {
  const count = () => client.query('VACUUM ANALYZE paymount.deliveries');
  /** So many rows from this number on, of which each has its event and its endpoint. */
  const insert = (state: string, from: number, rows: number, event: string, endpoint: string) =>
    client.query(
      `INSERT INTO paymount.deliveries (account_id, livemode, id, event_id, endpoint_id, event_type,
         origin, state, attempt, due_at, created, finished_at)
       SELECT e.account_id, false, 'dlv_' || lpad(n::text, 26, '0'),
         'evt_' || lpad((${event})::text, 26, '0'), e.id, 'charge.succeeded', 'event', $3, 1,
         now() - interval '1 hour' + n * interval '1 ms', now(),
         CASE WHEN $3 <> 'pending' THEN now() END
       FROM generate_series($1::integer, $1::integer + $2::integer - 1) n
       JOIN paymount.webhook_endpoints e ON e.id = 'we_' || lpad((${endpoint})::text, 26, '0')`,
      [from, rows, state],
    );
  const inTurn = [`n / ${endpoints - 1}`, `1 + n % ${endpoints - 1}`] as const;
  await client.query('TRUNCATE paymount.deliveries');
  if (statistics === 'empty') await count();
  await insert('succeeded', 0, 10, ...inTurn);
  if (statistics === 'of ten rows') await count();
  await insert('succeeded', 10, done - 10, ...inTurn);
  if (statistics === 'of a time without pending deliveries') await count();
  await insert('pending', done, atFirst, `n - ${done}`, '0');
  if (statistics === 'of a time when one endpoint had all of them') await count();
  const first = done + atFirst;
  await insert('pending', first, others, `${events - 1}`, `1 + n - ${first}`);
  if (statistics === 'full') await count();
}
