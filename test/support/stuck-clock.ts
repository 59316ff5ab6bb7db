import pg from 'pg';
import { partsOf } from '../../packages/paymount/src/paymount.ts';
import type { AdminApp } from './admin-app.ts';
import { postForm } from './ask.ts';

/**
 * A test clock that stopped at a failure.
 * @param as where the merchant's API is, and a secret key of the test environment
 * @returns its id; in live, where there are none, one that names nothing
 */
export async function stuckClock(
  app: AdminApp,
  environment: 'live' | 'test',
  as: { readonly url: string; readonly key: string },
): Promise<string> {
  const { clock } = partsOf(app.paymount);
  if (environment === 'live') return `clock_${String(clock.now().getTime()).padStart(26, '0')}`;
  const form = 'frozen_time=1893456000';
  const made = await postForm(`${as.url}/test_helpers/test_clocks`, form, { key: as.key });
  const id = String(made.json['id']);
  const sql = new pg.Client({ connectionString: app.databaseUrl });
  await sql.connect();
  await sql.query(
    `UPDATE paymount.test_clocks SET status = 'internal_failure', failure = 'It failed.',
      version = version + 1 WHERE id = $1`,
    [id],
  );
  await sql.end();
  return id;
}
