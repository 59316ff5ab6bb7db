import { DispatchHub } from '@paymount/core/events';
import { newId } from '@paymount/core/kernel';
import { createPostgresStorage, type PostgresStorage } from '@paymount/storage-postgres';
import { expect } from 'chai';
import { startWorker, type Worker } from 'paymount/worker';
import pg from 'pg';
import { startApp, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { startHost, type TestHost } from '../support/host.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const SALE = { amount: 4200, currency: 'eur', payment_method: 'pm_card_visa' } as const;
const LISTENING = `SELECT pid FROM pg_stat_activity
  WHERE application_name = 'paymount-watch' AND datname = current_database()`;

describe('first attempts of a process without a worker, without Redis', () => {
  let app: TestApp;
  let workers: TestHost;
  let worker: Worker | undefined;
  let receiver: Receiver;
  let admin: pg.Client;
  const opened: PostgresStorage[] = [];

  before(async () => {
    app = await startApp();
    // From here on the process of `app` is one without a worker.
    await app.worker.close();
    workers = await startHost(app);
    admin = new pg.Client({ connectionString: app.databaseUrl });
    await admin.connect();
    receiver = await startReceiver();
    await app.paymount.webhookEndpoints.create(app.acting, {
      url: `${receiver.url}/shop`,
      enabled_events: ['charge.succeeded'],
    });
  });
  afterEach(async () => {
    await worker?.close();
    await Promise.all(opened.splice(0).map((storage) => storage.close()));
  });
  after(async () => {
    await receiver.close();
    await admin.end();
    await workers.close();
    await app.close();
  });

  function open(options: { readonly preparedStatements?: false } = {}): PostgresStorage {
    const storage = createPostgresStorage({
      connection: app.databaseUrl,
      dispatch: new DispatchHub(),
      ...options,
    });
    opened.push(storage);
    return storage;
  }

  async function untilListening(): Promise<void> {
    const channels = `SELECT FROM pg_stat_activity WHERE application_name = 'paymount-watch'
      AND datname = current_database() AND query = 'LISTEN paymount_deliveries'`;
    await eventually(async () => (await admin.query(channels)).rowCount);
  }

  it('wake a worker of another process, which need not look for them', async () => {
    worker = await startWorker(workers.paymount, { reconcile: false });
    await untilListening();
    const before = receiver.requests.length;
    await app.paymount.charges.create(app.acting, SALE);
    await receiver.waitFor(before + 1);
  });

  it('are found by the worker when nobody told it of them', async () => {
    worker = await startWorker(workers.paymount);
    await untilListening();
    const before = receiver.requests.length;
    await admin.query(`SELECT pg_terminate_backend(pid) FROM (${LISTENING}) AS watching`);
    await app.paymount.charges.create(app.acting, SALE);
    await receiver.waitFor(before + 1);
  });

  it('are announced together, in as few notifications as PostgreSQL allows', async () => {
    const heard: string[] = [];
    admin.on('notification', ({ payload = '' }) => heard.push(payload));
    await admin.query('LISTEN paymount_deliveries');
    const ids = Array.from({ length: 200 }, () => newId('dlv'));
    const { deliveryNotifier } = open();
    for (const id of ids) deliveryNotifier?.announce([id]);
    await eventually(() => heard.length === 2);
    await admin.query('UNLISTEN *');
    expect(heard.join(' ')).to.equal(
      ['paymount', ...ids.slice(0, 150), 'paymount', ...ids.slice(150)].join(' '),
    );
  });

  it('are left to the next look behind a pooler of transactions without a way past it', () => {
    expect(open({ preparedStatements: false }).deliveryNotifier).to.equal(undefined);
  });
});
