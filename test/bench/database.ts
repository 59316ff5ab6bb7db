import { randomBytes } from 'node:crypto';
import { migrate } from '@paymount/storage-postgres';
import { startPostgres } from 'paymount/testing';
import pg from 'pg';
import { cpuOfFamily, readParent } from '../support/cpu-time.ts';
import { withClient } from '../support/database.ts';

/** What set-up wrote; everything else is emptied between windows. */
const KEPT = [
  'migrations',
  'accounts',
  'api_keys',
  'auth_epoch',
  'auth_change',
  'ledger_account',
  'webhook_endpoints',
  'endpoint_secrets',
  'installation_secrets',
  'audit_heads',
];

/** A migrated database on a server that keeps what it commits. */
export interface BenchDatabase {
  readonly url: string;
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
  /**
   * Empties what the last window wrote, and checkpoints. The empty tables are not analyzed: they
   * would be planned for as if they stayed empty, by connections that outlive the reset.
   */
  reset(): Promise<void>;
  /** CPU time of the server and its backends so far, µs; 0 when it runs elsewhere. */
  cpuMicros(): number;
  /** Counts rows of one of our tables. */
  count(table: string, where?: string): Promise<number>;
  close(): Promise<void>;
}

/** A server that keeps what it commits. */
export interface BenchServer {
  /** A role that may do everything. */
  readonly url: string;
  readonly version: string;
  stop(): Promise<void>;
}

/**
 * The server at `DATABASE_URL`, else one started for this run, with fsync on.
 * @throws Error when the server would lose what it has committed: such a run proves nothing
 */
export async function openServer(): Promise<BenchServer> {
  const given = process.env['DATABASE_URL'];
  const server = given ? { url: given, stop: async () => undefined } : await startPostgres();
  let version = '';
  await withClient(server.url, async (client) => {
    // Checkpoints within a window would hit one side and not the other.
    if (!given) await settle(client, { max_wal_size: '4GB', checkpoint_timeout: '30min' });
    await assertDurable(client);
    const { rows } = await client.query<Record<string, string>>('SHOW server_version');
    version = rows[0]?.['server_version'] ?? 'unknown';
  });
  return { ...server, version };
}

/** A migrated database of its own on the server. */
export async function openBenchDatabase(server: BenchServer): Promise<BenchDatabase> {
  const name = `paymount_bench_${randomBytes(4).toString('hex')}`;
  await withClient(server.url, (client) =>
    client.query(`CREATE DATABASE ${name} TEMPLATE template0`),
  );
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  await migrate({ connection: url.href });
  const pool = new pg.Pool({ connectionString: url.href, max: 2 });
  pool.on('error', () => undefined);
  return {
    ...(await openDatabase(pool, url.href)),
    async close() {
      await pool.end();
      await withClient(server.url, (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`));
    },
  };
}

async function openDatabase(pool: pg.Pool, url: string): Promise<Omit<BenchDatabase, 'close'>> {
  const postmaster = await findPostmaster(pool);
  const { rows } = await pool.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c
     WHERE c.relnamespace = 'paymount'::regnamespace AND c.relkind IN ('r', 'p')
       AND NOT c.relispartition AND c.relname <> ALL ($1)`,
    [KEPT],
  );
  const emptied = rows.map(({ name }) => `paymount.${name}`).join(', ');
  return {
    url,
    async query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]) {
      return (await pool.query<Row>(text, values)).rows;
    },
    async reset() {
      const client = await pool.connect();
      try {
        // The ledger refuses to be emptied; this role may go past its triggers.
        await client.query('SET session_replication_role = replica');
        await client.query(`TRUNCATE ${emptied} CASCADE`);
        await client.query('UPDATE paymount.ledger_account SET balance = 0 WHERE balance <> 0');
        await client.query('RESET session_replication_role');
        await client.query(`VACUUM ANALYZE ${KEPT.map((name) => `paymount.${name}`).join(', ')}`);
        await client.query('CHECKPOINT');
      } finally {
        client.release();
      }
    },
    cpuMicros: () => (postmaster === undefined ? 0 : cpuOfFamily(postmaster)),
    async count(table, where = 'true') {
      const { rows } = await pool.query<{ count: number }>(
        `SELECT count(*)::integer AS count FROM paymount.${table} WHERE ${where}`,
      );
      return rows[0]?.count ?? 0;
    },
  };
}

async function assertDurable(client: pg.Client): Promise<void> {
  for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes']) {
    const { rows } = await client.query<Record<string, string>>(`SHOW ${setting}`);
    if (rows[0]?.[setting] !== 'on') {
      throw new Error(`${setting} is off: the server would lose commits, so nothing is proved.`);
    }
  }
}

/** Found through a backend of it, when that runs on this machine. */
async function findPostmaster(pool: pg.Pool): Promise<number | undefined> {
  const { rows } = await pool.query<{ pid: number; local: boolean }>(
    `SELECT pg_backend_pid() AS pid, host(inet_server_addr()) IN ('127.0.0.1', '::1') AS local`,
  );
  const [backend] = rows;
  return backend?.local ? readParent(backend.pid) : undefined;
}

async function settle(
  client: pg.Client,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [name, value] of Object.entries(settings)) {
    await client.query(`ALTER SYSTEM SET ${name} = '${value}'`);
  }
  await client.query('SELECT pg_reload_conf()');
}
