import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import { startApp, type TestApp } from '../support/app.ts';
import { childProgram } from '../support/child-program.ts';
import { eventually } from '../support/eventually.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type WrittenLog, writtenLog } from '../support/written-log.ts';

const OPEN_MS = 15_000;
const EVERY_MS = 50;
const IN_TIME_MS = 2_000;
const MERCHANTS = 10;
const SALE = { amount: 700, currency: 'eur', payment_method: 'pm_card_visa' };
const CHILD = new URL('./lock-child.ts', import.meta.url);

describe('While another process leaves a transaction open in which it changed an endpoint', function () {
  this.timeout(120_000);
  let app: TestApp;
  let failing: Receiver;
  let receiver: Receiver;
  let log: WrittenLog;
  let database: pg.Client;

  before(async () => {
    log = writtenLog();
    app = await startApp({ paymount: { logger: log.logger } });
    failing = await startReceiver();
    failing.otherwise(500);
    receiver = await startReceiver();
    database = new pg.Client({ connectionString: app.databaseUrl });
    await database.connect();
  });
  after(async () => {
    await database.end();
    await app.close();
    await failing.close();
    await receiver.close();
  });

  it('every event of other merchants arrives in time, and the log and the health name the session', async () => {
    const { webhookEndpoints, accounts, charges } = app.paymount;
    const hook = await webhookEndpoints.create(app.acting, {
      url: failing.url,
      enabled_events: ['*'],
    });
    const others: { account: string; environment: 'test' }[] = [];
    for (let made = 0; made < MERCHANTS; made += 1) {
      const shop = { name: `Shop ${made}`, country: 'DE', default_currency: 'eur' } as const;
      const acting = { account: (await accounts.create(shop)).id, environment: 'test' } as const;
      await webhookEndpoints.create(acting, { url: receiver.url, enabled_events: ['*'] });
      others.push(acting);
    }
    const SEALING_KEYS = JSON.stringify(app.sealingKeys);
    const options = { execArgv: [], env: { ...process.env, SEALING_KEYS } };
    const args = [app.databaseUrl, app.account, hook.id];
    const child = fork(await childProgram(CHILD), args, options);
    expect(await once(child, 'message')).to.deep.equal(['locked', undefined]);

    await charges.create(app.acting, SALE);
    await failing.waitFor(1);
    const sent = new Map<string, number>();
    const endMs = performance.now() + OPEN_MS;
    for (let turn = 0; performance.now() < endMs; turn += 1) {
      const acting = others[turn % others.length];
      if (acting === undefined) throw new RangeError('There is no merchant.');
      const { id } = await charges.create(acting, SALE);
      sent.set(id, performance.now());
      await wait(EVERY_MS);
    }
    const health = await app.paymount.health();
    expect(health.problems.map(({ code }) => code)).to.include('endpoints_locked');
    const [locked] = health.worker?.locked_endpoints ?? [];
    expect(locked).to.include({ endpoint: hook.id });
    const { rows } = await database.query<{ pid: number }>(
      "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'shop'",
    );
    expect(locked?.locked_by.map(({ pid }) => pid)).to.deep.equal(rows.map(({ pid }) => pid));
    expect(log.text()).to.include('Another session of the database has locked an endpoint');
    expect(log.text()).to.match(/pid \d+ \(shop\), idle in transaction, open for \d+ s/);

    const arrived = new Map(
      receiver.requests.map(({ body, receivedAtMs }) => [
        JSON.parse(body.toString()).data.object.id as string,
        receivedAtMs,
      ]),
    );
    const late = [...sent].filter(
      ([id, atMs]) =>
        atMs < endMs - IN_TIME_MS &&
        (arrived.get(id) ?? Number.POSITIVE_INFINITY) - atMs > IN_TIME_MS,
    );
    expect(late, `of ${sent.size}`).to.deep.equal([]);
    expect(failing.requests).to.have.length(1);

    child.send('commit');
    await once(child, 'exit');
    await eventually(async () => {
      const found = await database.query<{ attempt: number }>(
        'SELECT attempt FROM paymount.deliveries WHERE endpoint_id = $1',
        [hook.id],
      );
      return found.rows.every(({ attempt }) => attempt === 2);
    });
    const { status, worker } = await app.paymount.health();
    expect([status, worker?.locked_endpoints]).to.deep.equal(['ok', []]);
  });
});
