import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import express from 'express';
import { createPaymount, type Paymount } from 'paymount';
import pg, { type QueryResultRow } from 'pg';
import { ask } from '../http/ask.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { keptLog } from '../unit/auth/memory-credentials.ts';
import { SEALING_KEYS, seedAccounts, seedEndpoints, seedKeys } from './seeds.ts';

describe('what the benchmarks start from', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let paymount: Paymount;
  let server: Server;
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
    paymount = await createPaymount({
      database: database.url,
      sealingKeys: SEALING_KEYS,
      logger: keptLog(),
    });
    server = express()
      .use(paymount.router({ environment: 'test' }))
      .listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(async () => {
    server.close();
    server.closeAllConnections();
    await paymount.close();
    await pool.end();
    await database.drop();
  });

  it('are keys that are let in, each to the one endpoint of its account', async () => {
    const { port } = server.address() as AddressInfo;
    const seen: unknown[] = [];
    for (const key of keys) {
      const { status, json } = await ask(`http://127.0.0.1:${port}/v1/webhook_endpoints`, { key });
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
