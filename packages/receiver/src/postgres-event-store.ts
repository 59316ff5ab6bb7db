import assert from 'node:assert/strict';
import type { EventStore } from './once-by-id.ts';

/** The part of a `pg` client that is used here. */
export interface PostgresClient {
  query(
    text: string,
    values?: unknown[],
  ): Promise<{ readonly rows: Record<string, unknown>[]; readonly rowCount: number | null }>;
}

/** The part of a `pg` pool that is used here; `C` is its client type. */
export interface PostgresPool<C extends PostgresClient> {
  connect(): Promise<C & { release(destroy?: boolean): void }>;
}

const DEFAULT_TABLE = 'received_events';
const TABLE_NAME = /^[a-z_][a-z0-9_]{0,62}(?:\.[a-z_][a-z0-9_]{0,62})?$/;

/**
 * The statement that makes the table of {@link postgresEventStore}; safe to run at each start.
 * @param table a lower-case name, with its schema if needed. @defaultValue 'received_events'
 */
export function receivedEventsTable(table: string = DEFAULT_TABLE): string {
  return `CREATE TABLE IF NOT EXISTS ${checkedName(table)} (
  id text COLLATE "C" PRIMARY KEY,
  type text NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now()
)`;
}

/**
 * Records event ids in a PostgreSQL table, over a pool of the `pg` package.
 * A connection whose transaction failed is destroyed, so that none goes back half-way.
 * @typeParam C the client type that handlers get; name it (`pg.PoolClient`) to pass the client on
 * @param pool a `pg.Pool`, or anything of its form
 * @param table made by {@link receivedEventsTable}. @defaultValue 'received_events'
 */
export function postgresEventStore<C extends PostgresClient = PostgresClient>(
  pool: PostgresPool<C>,
  table: string = DEFAULT_TABLE,
): EventStore<C> {
  const insert = `INSERT INTO ${checkedName(table)} (id, type) VALUES ($1, $2) ON CONFLICT DO NOTHING`;
  return {
    async transaction(work) {
      const client = await pool.connect();
      try {
        await client.query('BEGIN');
        const result = await work(client);
        await client.query('COMMIT');
        client.release();
        return result;
      } catch (error) {
        // Closing the connection is the one rollback that cannot itself fail.
        client.release(true);
        throw error;
      }
    },
    async insertIfAbsent(client, event) {
      const { rowCount } = await client.query(insert, [event.id, event.type]);
      return rowCount === 1;
    },
  };
}

function checkedName(table: string): string {
  assert(TABLE_NAME.test(table), `${JSON.stringify(table)} is not a lower-case table name.`);
  return table;
}
