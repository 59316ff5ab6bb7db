import { withClient } from './database.ts';

/** Written behind a request, whoever asked: what a key was used for. */
const USAGE = ['key_usage', 'key_usage_hourly', 'key_addresses'];

/** Written by a worker each minute, from what other tables hold. */
const COUNTS = ['delivery_counts', 'counted_hours'];

/** Emptied by a worker some seconds after access ended. */
const ENDED = ['ended_access'];

/** Written when a key stood in an address, so that its owner is told; that is tested with leaks. */
export const TOLD_OF_LEAKS: readonly string[] = ['leaks', 'mails', 'audit_log', 'audit_heads'];

/**
 * What every table holds, as a count and a hash of all its rows: two that are equal say that
 * nothing was written in between. What keys were used for, the counts of attempts and what workers
 * empty are left out.
 * @param except names of other tables that do not matter
 */
export async function tableContents(
  databaseUrl: string,
  except: readonly string[] = [],
): Promise<Record<string, string>> {
  return withClient(databaseUrl, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      `SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n
       ON n.oid = c.relnamespace WHERE n.nspname = 'paymount' AND c.relkind IN ('r', 'p')
       AND NOT c.relname = ANY ($1) ORDER BY 1`,
      [[...USAGE, ...COUNTS, ...ENDED, ...except]],
    );
    // One statement for all, and no processes beside this one, which cost ten times as much.
    await client.query('SET max_parallel_workers_per_gather = 0');
    const each = tables.map(
      ({ name }) =>
        `SELECT '${name}' AS name, count(*) || ' ' ||
           coalesce(md5(string_agg(t::text, E'\\n' ORDER BY t::text)), '') AS contents
         FROM ${name} t`,
    );
    const { rows } = await client.query<{ name: string; contents: string }>(
      each.join(' UNION ALL '),
    );
    return Object.fromEntries(rows.map(({ name, contents }) => [name, contents]));
  });
}
