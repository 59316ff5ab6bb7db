import { withClient } from './database.ts';

/** A process writes the use of its keys into these on a timer, whatever the requests were. */
const WRITTEN_ON_A_TIMER = ['key_addresses', 'key_usage', 'key_usage_hourly'];

/**
 * Rows in each table of the schema that a request or a worker writes. It counts, because the
 * statistics of PostgreSQL would lag behind.
 */
export async function countRows(databaseUrl: string): Promise<Record<string, number>> {
  return withClient(databaseUrl, async (client) => {
    const tables = await client.query<{ name: string }>(
      `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname = 'paymount' AND c.relkind IN ('r', 'p')
         AND c.relname <> ALL ($1) ORDER BY 1`,
      [WRITTEN_ON_A_TIMER],
    );
    const counts: Record<string, number> = {};
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ count: string }>(
        `SELECT count(*) AS count FROM paymount.${client.escapeIdentifier(name)}`,
      );
      counts[name] = Number(rows[0]?.count);
    }
    return counts;
  });
}
