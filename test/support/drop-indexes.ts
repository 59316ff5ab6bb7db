import type pg from 'pg';

/**
 * Drops the indexes that enforce nothing, because making them once takes a fraction of the time that
 * every row of a large load would.
 * @param tables of the schema `paymount`
 * @returns makes them again
 */
export async function dropIndexes(
  client: pg.Client,
  tables: readonly string[],
): Promise<() => Promise<void>> {
  const { rows } = await client.query<{ name: string; text: string }>(
    `SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS text
     FROM pg_index i WHERE NOT i.indisprimary
       AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid)
       AND i.indrelid = ANY ($1::text[]::regclass[])`,
    [tables.map((table) => `paymount.${table}`)],
  );
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
  return async () => {
    for (const { text } of rows) await client.query(text.replace(' ON ONLY ', ' ON '));
  };
}
