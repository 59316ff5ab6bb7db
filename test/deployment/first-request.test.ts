import { expect } from 'chai';
import pg from 'pg';
import { ask } from '../support/ask.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { startHost, type TestHost } from '../support/host.ts';
import { makeSealingKeys } from '../support/make.ts';
import { openTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

/** Past the 250 ms that a key look-up may take. */
const DIAL_MS = 400;
const LOOK_UP_CONNECTIONS = 2;

describe('a database that takes 400 ms to reach', () => {
  let database: TestDatabase;
  let slow: TcpProxy;
  let watcher: pg.Client;
  let host: TestHost;
  let balance: string;
  let key: string;

  before(async () => {
    database = await freshDatabase();
    watcher = new pg.Client({ connectionString: database.url });
    await watcher.connect();
    slow = await openTcpProxy(database.url);
    slow.dialMs = DIAL_MS;
  });
  after(async () => {
    await host.close();
    await watcher.end();
    await slow.close();
    await database.drop();
  });

  it('answers the first request of a process', async () => {
    host = await startHost({ databaseUrl: slow.url, sealingKeys: makeSealingKeys() });
    const { paymount } = host;
    const account = await paymount.accounts.create({
      name: 'Test shop',
      country: 'DE',
      default_currency: 'eur',
    });
    const made = {
      account: account.id,
      type: 'secret',
      name: 'first',
    } as const;
    key = (await paymount.keys.create({ ...made, livemode: false })).secret;
    balance = `${host.url}/v1/balance`;
    expect((await ask(balance, { key })).status).to.equal(200);
  });

  it('answers the first request after its connections were cut', async () => {
    const ours = "datname = current_database() AND application_name = 'paymount'";
    const { rows } = await watcher.query<{ pid: number }>(
      `SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${ours}`,
    );
    const before = rows.map(({ pid }) => pid);
    await eventually(
      () =>
        watcher.query(`SELECT FROM pg_stat_activity WHERE ${ours} AND pid <> ALL ($1)`, [before]),
      ({ rowCount }) => rowCount === LOOK_UP_CONNECTIONS,
    );
    expect((await ask(balance, { key })).status).to.equal(200);
  });
});
