import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { eventually } from './eventually.ts';

/** Set by the runner: a server on which databases can be created, and the migrated template. */
const SERVER_URL = 'PAYMOUNT_TEST_DATABASE_URL';
const TEMPLATE = 'PAYMOUNT_TEST_TEMPLATE';
/** Since PostgreSQL 15 a template is copied through the log by default, at three times the CPU time. */
const STRATEGIES_SINCE = 150_000;
const CONNECT_LIMIT_MS = 10_000;
const GOODBYE_LIMIT_MS = 500;
/** Some files make a few databases at once. */
const MAX_SERVER_CONNECTIONS = 4;

/** A database of one test file's own. */
export interface TestDatabase {
  /** A connection string. */
  readonly url: string;
  /** Cuts every connection and removes the database. */
  drop(): Promise<void>;
}

/**
 * A migrated database that nobody else uses: a copy of the run's template (about 50 ms).
 * Call it once in `before`, and `drop()` in `after`.
 */
export function freshDatabase(): Promise<TestDatabase> {
  return createDatabase(fromRunner(TEMPLATE));
}

/** The same without tables, for tests of migrations. */
export function emptyDatabase(): Promise<TestDatabase> {
  return createDatabase('template0');
}

/**
 * Makes the run's template; the databases of the run carry its name as a prefix.
 * @param migrate brings the empty database of this URL up to date
 */
export async function createTemplate(
  serverUrl: string,
  migrate: (url: string) => Promise<void>,
): Promise<{ name: string; dropAll(): Promise<void> }> {
  const name = `paymount_test_${randomBytes(6).toString('hex')}`;
  await query(serverUrl, `CREATE DATABASE ${name} TEMPLATE template0`);
  await migrate(withDatabase(serverUrl, name));
  return {
    name,
    async dropAll() {
      const rows = await query<{ datname: string }>(
        serverUrl,
        `SELECT datname FROM pg_database WHERE datname LIKE '${name}%'`,
      );
      for (const { datname } of rows) {
        await query(serverUrl, `DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`);
      }
    },
  };
}

async function createDatabase(template: string): Promise<TestDatabase> {
  const name = `${fromRunner(TEMPLATE)}_${randomBytes(6).toString('hex')}`;
  await onServer(`CREATE DATABASE ${name} TEMPLATE ${template} ${await copyStrategy()}`);
  return {
    url: withDatabase(fromRunner(SERVER_URL), name),
    drop: () => dropDatabase(name),
  };
}

let strategy: Promise<string> | undefined;

function copyStrategy(): Promise<string> {
  strategy ??= onServer('SHOW server_version_num').then(([row]) =>
    Number(row?.['server_version_num']) >= STRATEGIES_SINCE ? 'STRATEGY file_copy' : '',
  );
  return strategy;
}

/**
 * Lets connections that were told to end do so first: the notice that a client of theirs was cut off
 * would reach nobody, and end the process.
 */
async function dropDatabase(name: string): Promise<void> {
  const open = `SELECT FROM pg_stat_activity WHERE datname = '${name}' AND backend_type = 'client backend'`;
  await eventually(
    () => onServer(open),
    ({ length }) => length === 0,
    GOODBYE_LIMIT_MS,
  ).catch(() => undefined);
  await onServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
}

let server: pg.Pool | undefined;

/** Asks the server of the run, on connections that stay open between the databases of a process. */
async function onServer(sql: string): Promise<readonly Record<string, unknown>[]> {
  server ??= new pg.Pool({
    connectionString: fromRunner(SERVER_URL),
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    max: MAX_SERVER_CONNECTIONS,
    allowExitOnIdle: true,
  }).on('error', () => {
    // The server ended a connection that was idle; the pool opens another.
  });
  return (await server.query<Record<string, unknown>>(sql)).rows;
}

function fromRunner(variable: string): string {
  const value = process.env[variable];
  if (!value) throw new Error(`${variable} is not set: run this through npm test or npx mocha`);
  return value;
}

function withDatabase(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Asks the database once. @returns the rows */
export function query<Row extends object = Record<string, unknown>>(
  url: string,
  sql: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  return withClient(url, async (client) => (await client.query<Row>(sql, [...values])).rows);
}

/** Connects for the time of the work. */
export async function withClient<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
  });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
