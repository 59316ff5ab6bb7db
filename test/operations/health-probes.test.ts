import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Paymount } from 'paymount';
import { startApp, type TestApp } from '../support/app.ts';
import { ask } from '../support/ask.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { freshDatabase, query, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { startHost, type TestHost } from '../support/host.ts';
import { startReceiver } from '../support/receiver.ts';
import { openTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const OK = { status: 200, text: '{"status":"ok"}' };

/** Asks a server of its own, which has asked nothing of the database yet. */
async function probe(paymount: Paymount, name: 'live' | 'ready') {
  const server = createServer(paymount.healthRouter());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { status, text } = await ask(`http://127.0.0.1:${port}/health/${name}`, { key: '' });
  server.close();
  return { status, text };
}

/** The codes of the problems that a failing probe names. */
async function problems(paymount: Paymount, name: 'live' | 'ready'): Promise<readonly string[]> {
  const { status, text } = await probe(paymount, name);
  expect(status).to.equal(503);
  const found = JSON.parse(text) as { status: string; problems: readonly { code: string }[] };
  expect(found.status).to.equal('failing');
  return found.problems.map(({ code }) => code);
}

describe('The probes of health', () => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let clock: FakeClock;
  /** Serves the API. */
  let app: TestApp;
  /** Serves no API, as a process for a worker alone. */
  let bare: TestHost;

  before(async () => {
    database = await freshDatabase();
    proxy = await openTcpProxy(database.url);
    clock = fakeClock();
    app = await startApp({
      paymount: { database: proxy.url, clock },
      mount(host, paymount) {
        host.use('/internal', paymount.healthRouter());
        host.use(paymount.router({ environment: 'test' }));
        host.get('/internal/health/own', (_, response) => void response.json({ of: 'the host' }));
      },
    });
    const data = { databaseUrl: proxy.url, sealingKeys: app.sealingKeys };
    bare = await startHost(data, { paymount: { clock }, mount: () => undefined });
  });
  after(async () => {
    proxy.mend();
    await bare.close();
    await app.close();
    await proxy.close();
    await database.drop();
  });

  it('answer 200 without a login while all is well', async () => {
    for (const { paymount } of [app, bare]) {
      expect(await probe(paymount, 'live')).to.deep.equal(OK);
      expect(await probe(paymount, 'ready')).to.deep.equal(OK);
    }
  });

  it('can be mounted at any path, and leave other paths to the host', async () => {
    const health = `${app.url}/internal/health`;
    expect((await ask(`${health}/ready`, { key: '' })).text).to.equal(OK.text);
    expect((await ask(`${health}/live`, { method: 'HEAD', key: '' })).status).to.equal(200);
    expect((await ask(`${health}/own`, { key: '' })).json).to.deep.equal({ of: 'the host' });
    const posted = await ask(`${health}/live`, { method: 'POST', key: '' });
    expect(posted.status).to.equal(405);
    expect(posted.error['allowed_methods']).to.deep.equal(['GET']);
  });

  it('say that a process that cannot reach its database is live and not ready', async () => {
    for (const break_ of [() => proxy.cut(), () => proxy.freeze()]) {
      break_();
      try {
        const { status, text } = await probe(app.paymount, 'ready');
        expect(status).to.equal(503);
        expect(JSON.parse(text)).to.deep.equal({
          status: 'failing',
          problems: [
            {
              code: 'database_unreachable',
              message: 'The database does not answer within 2 seconds.',
            },
          ],
        });
        expect(await probe(app.paymount, 'live')).to.deep.equal(OK);
      } finally {
        proxy.mend();
      }
    }
  });

  it('say that a process is not ready for the tables of a newer version', async () => {
    const name = '9999-newer';
    const add = `INSERT INTO paymount.migrations (name, hash, breaking) VALUES ('${name}', '', true)`;
    await query(database.url, add);
    try {
      expect(await problems(app.paymount, 'ready')).to.deep.equal(['schema_unusable']);
      expect(await probe(app.paymount, 'live')).to.deep.equal(OK);
    } finally {
      await query(database.url, `DELETE FROM paymount.migrations WHERE name = '${name}'`);
    }
  });

  it('do not fail for the backlog of one slow endpoint, until none of it is in progress', async () => {
    const receiver = await startReceiver();
    const answer = receiver.holdAnswers();
    const endpoint = { url: `${receiver.url}/slow`, enabled_events: ['*'] } as const;
    const { id } = await app.paymount.webhookEndpoints.create(app.acting, endpoint);
    // A few at a time: the key of each must be found within 250 ms on a busy machine too.
    for (let batch = 0; batch < 15; batch += 1)
      await Promise.all(Array.from({ length: 10 }, charge));
    await eventually(
      () => inProgress(id),
      (sent) => sent > 0,
    );
    await query(database.url, `UPDATE paymount.deliveries SET due_at = due_at - interval '10 min'`);
    // Started now, because a process does not look for deliveries that are late all of a sudden.
    const data = { databaseUrl: proxy.url, sealingKeys: app.sealingKeys };
    const host = await startHost(data, { paymount: { clock }, mount: () => undefined });
    expect(await probe(host.paymount, 'ready')).to.deep.equal(OK);
    const closed = app.worker.close();
    answer();
    await closed;
    expect(await problems(host.paymount, 'ready')).to.deep.equal(['deliveries_overdue']);
    await host.close();
    await app.paymount.webhookEndpoints.delete(app.acting, id);
    await receiver.close();
  });

  /** How many deliveries of the endpoint a worker has leased. */
  async function inProgress(endpoint: string): Promise<number> {
    const [row] = await query<{ sent: number }>(
      database.url,
      `SELECT count(*)::integer AS sent FROM paymount.deliveries
       WHERE endpoint_id = '${endpoint}' AND lease_until > now()`,
    );
    return row?.sent ?? 0;
  }

  async function charge(): Promise<void> {
    const body = 'amount=700&currency=eur&source=tok_visa';
    const send = () => ask(`${app.url}/v1/charges`, { key: app.secretKey, headers: FORM, body });
    // On a busy machine the key may not be found within its 250 ms, which is answered 503.
    const charged = await eventually(send, ({ status }) => status !== 503);
    expect(charged.status).to.equal(200);
  }

  it('fail for late deliveries only where no API would be taken away with them', async () => {
    const receiver = await startReceiver();
    const endpoint = { url: `${receiver.url}/hook`, enabled_events: ['*'] } as const;
    await app.paymount.webhookEndpoints.create(app.acting, endpoint);
    await app.worker.close();
    await charge();
    clock.advance(59_000);
    expect(await probe(bare.paymount, 'ready')).to.deep.equal(OK);
    clock.advance(2_000);
    expect(await problems(bare.paymount, 'ready')).to.deep.equal(['deliveries_overdue']);
    expect(await probe(app.paymount, 'ready')).to.deep.equal(OK);
    await receiver.close();
  });

  it('say that a closing process is not ready', async () => {
    await bare.paymount.close();
    expect(await probe(bare.paymount, 'ready')).to.deep.equal({
      status: 503,
      text: '{"status":"closing"}',
    });
  });
});
