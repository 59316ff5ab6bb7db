import type pg from 'pg';
import type { StatementRecorder } from './recorded-statements.ts';

/** Pages of the tables and indexes that the SELECTs of `work` look at, as PostgreSQL counts. */
export async function countBlocks(
  { pool, recorder }: { readonly pool: pg.Pool; readonly recorder: StatementRecorder },
  work: () => Promise<unknown>,
): Promise<number> {
  const sent = await recorder.record(work);
  let blocks = 0;
  for (const { text, values } of sent.filter(({ text }) => /^select/i.test(text))) {
    const explained = `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`;
    const { rows } = await pool.query(explained, [...values]);
    const { Plan: plan } = rows[0]['QUERY PLAN'][0];
    blocks += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  }
  return blocks;
}
