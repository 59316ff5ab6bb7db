import { expect } from 'chai';
import pg, { type QueryResultRow } from 'pg';
import { ask } from '../support/ask.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { startHost, type TestHost } from '../support/host.ts';
import { SEALING_KEYS, seedAccounts, seedEndpoints, seedKeys } from './seeds.ts';

describe('what the benchmarks start from', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let host: TestHost;
  let keys: readonly string[];

  before(async () => {
    database = await freshDatabase();
    pool = new pg.Pool({ connectionString: database.url });
    const seeded = {
      query: async <Row extends QueryResultRow>(text: string, values?: unknown[]) =>
        (await pool.query<Row>(text, values)).rows,
    };
    await seedAccounts(seeded, 2);
    await seedEndpoints(seeded, 2);
    keys = await seedKeys(seeded, 2, 4);
    host = await startHost({ databaseUrl: database.url, sealingKeys: SEALING_KEYS });
  });
  after(async () => {
    await host.close();
    await pool.end();
    await database.drop();
  });

  it('are keys that are let in, each to the one endpoint of its account', async () => {
    const seen: unknown[] = [];
    for (const key of keys) {
      const { status, json } = await ask(`${host.url}/v1/webhook_endpoints`, { key });
      const { data } = json as { data: { url: string }[] };
      seen.push([status, data.map(({ url }) => url)]);
    }
    const [first, second] = ['https://hooks.example.com/0', 'https://hooks.example.com/1'];
    expect(seen).to.deep.equal([
      [200, [first]],
      [200, [second]],
      [200, [first]],
      [200, [second]],
    ]);
  });
});
