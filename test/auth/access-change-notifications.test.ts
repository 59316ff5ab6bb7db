import { Socket } from 'node:net';
import { createAccountService } from '@paymount/core/access';
import { DispatchHub } from '@paymount/core/events';
import {
  createPostgresStorage,
  type OpenPostgresOptions,
  type PostgresStorage,
} from '@paymount/storage-postgres';
import { expect } from 'chai';
import type { Paymount, PaymountOptions } from 'paymount';
import pg from 'pg';
import { startApp, type TestApp } from '../support/app.ts';
import { fakeClock } from '../support/clock.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { startHost } from '../support/host.ts';
import { REDIS_CURE, redisUrl } from '../support/redis.ts';
import { openTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

const WATCHES = `application_name = 'paymount-watch' AND datname = current_database()`;
const clock = { now: () => new Date(), monotonicMs: () => performance.now(), shiftMs: 0 };

describe('how processes learn of access changes', () => {
  let database: TestDatabase;
  let admin: pg.Client;
  const opened: PostgresStorage[] = [];

  function open(options: Partial<OpenPostgresOptions> = {}): PostgresStorage {
    const storage = createPostgresStorage({
      connection: database.url,
      dispatch: new DispatchHub(),
      ...options,
    });
    opened.push(storage);
    return storage;
  }

  /** Counts what a process hears, once it listens. */
  async function listener(options: Partial<OpenPostgresOptions> = {}) {
    const storage = open(options);
    let heard = 0;
    const stop = storage.accessChangeNotifier?.listen(() => {
      heard += 1;
    });
    if (stop === undefined) throw new Error('This process hears nothing.');
    await eventually(() => heard === 1);
    return { storage, stop, heard: () => heard };
  }

  async function changeAccess({ access }: PostgresStorage): Promise<void> {
    await createAccountService({ access, clock }).create({
      name: 'Shop',
      country: 'DE',
      defaultCurrency: 'eur',
    });
  }

  async function watches(): Promise<number> {
    const { rows } = await admin.query<{ count: number }>(
      `SELECT count(*)::integer AS count FROM pg_stat_activity WHERE ${WATCHES}`,
    );
    return rows[0]?.count ?? 0;
  }

  before(async () => {
    database = await freshDatabase();
    admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((storage) => storage.close()));
  });
  after(async () => {
    await admin.end();
    await database.drop();
  });

  it('reports a change that another process commits, and not one that it rolls back', async () => {
    const { heard } = await listener();
    const other = open();
    await changeAccess(other);
    await eventually(() => heard() === 2);
    const rolledBack = await other.access
      .change(async () => {
        throw new Error('no');
      })
      .catch((error: unknown) => String(error));
    expect(rolledBack).to.equal('Error: no');
    await changeAccess(other);
    await eventually(() => heard() === 3);
  });

  it('tells nothing of another installation in the same database', async () => {
    const { heard } = await listener();
    await admin.query(`SELECT pg_notify('paymount_auth', 'another_schema')`);
    await admin.query(`SELECT pg_notify('paymount_auth', 'paymount')`);
    await eventually(() => heard() > 1);
    expect(heard()).to.equal(2);
  });

  it('tells the process itself after its commit, and when the answer to a commit was lost', async () => {
    const proxy = await openTcpProxy(database.url);
    let told = 0;
    const storage = open({
      connection: proxy.url,
      onAccessChange: () => {
        told += 1;
      },
    });
    await changeAccess(storage);
    expect(told).to.equal(1);
    proxy.onUpstream = (bytes) => {
      if (bytes.includes('COMMIT\0')) proxy.cut();
    };
    const lost = await changeAccess(storage).catch((error: unknown) => error);
    expect(lost).to.include({ code: 'unavailable' });
    expect(told).to.equal(2);
    await proxy.close();
  });

  it('listens again after its connection was killed, and reports at once that it may have missed changes', async () => {
    const { heard } = await listener();
    await admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${WATCHES}`);
    await eventually(() => heard() === 2);
    await changeAccess(open());
    await eventually(() => heard() === 3);
  });

  it('reconnects with growing delays while the server is down, and listens again when it is back', async function () {
    this.timeout(20_000);
    const proxy = await openTcpProxy(database.url);
    const { heard } = await listener({ connection: proxy.url });
    proxy.cut();
    const dialed = proxy.dialed();
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    // 100, 200, 400, 800 ms, each shortened by up to a half.
    expect(proxy.dialed() - dialed).to.be.within(2, 7);
    proxy.mend();
    await eventually(() => heard() === 2, Boolean, 6_000);
    await proxy.close();
  });

  it('holds one connection, and closes it with the process', async () => {
    const { storage } = await listener();
    await storage.credentials.syncEpoch(undefined);
    expect(await watches()).to.equal(1);
    await storage.close();
    await eventually(async () => (await watches()) === 0);
  });

  it('does not listen through a pooler of transactions, unless there is a way past it', async () => {
    expect(open({ preparedStatements: false }).accessChangeNotifier).to.equal(undefined);
    const { heard } = await listener({ preparedStatements: false, directUrl: database.url });
    await changeAccess(open());
    await eventually(() => heard() === 2);
  });

  it('listens on streams of a pool of the host, even if the first one could not be opened', async () => {
    const url = new URL(database.url);
    const streams: Socket[] = [];
    let asked = 0;
    const stream = (): Socket => {
      asked += 1;
      if (asked === 1) throw new Error('The connector is not ready.');
      const socket = new Socket();
      const dial = socket.connect.bind(socket);
      // As a connector does, whatever host and port pg says.
      Object.assign(socket, { connect: () => dial(Number(url.port), url.hostname) });
      streams.push(socket);
      return socket;
    };
    const { username: user, password, pathname } = url;
    const at = { host: '127.0.0.1', port: 9, user, password, database: pathname.slice(1) };
    const pool = new pg.Pool({ ...at, stream });
    const { storage, heard } = await listener({ connection: pool });
    await changeAccess(storage);
    await eventually(() => heard() === 2);
    expect((await storage.credentials.syncEpoch(undefined)).inRecovery).to.equal(false);
    expect(await watches()).to.equal(1);
    await storage.close();
    await pool.end();
    await eventually(() => streams.every(({ destroyed }) => destroyed));
  });

  it('asks for changes past any number of look-ups', async function () {
    this.timeout(20_000);
    const proxy = await openTcpProxy(database.url);
    const { credentials } = open({ connection: proxy.url });
    await credentials.syncEpoch(undefined);
    proxy.delayMs = 20;
    const lookUps = Array.from({ length: 500 }, (_, n) =>
      credentials.findByHash(Buffer.alloc(32, n)).then(
        () => 'found',
        () => 'late',
      ),
    );
    const startedMs = performance.now();
    await credentials.syncEpoch(undefined);
    // One way and back again.
    expect(performance.now() - startedMs).to.be.within(40, 2_000);
    // With two connections some 2 x 250 / 40 of them can be answered; no other stands in the queue.
    expect(new Set(await Promise.all(lookUps))).to.deep.equal(new Set(['found', 'late']));
    await proxy.close();
  });

  it('answers again within 3 s when a network that had frozen is back', async function () {
    this.timeout(30_000);
    const proxy = await openTcpProxy(database.url);
    const { credentials } = open({ connection: proxy.url });
    const ask = (): Promise<boolean> =>
      Promise.all([credentials.findByHash(Buffer.alloc(32)), credentials.syncEpoch(undefined)])
        .then(() => true)
        .catch(() => false);
    await eventually(ask);
    proxy.freeze();
    const frozenMs = performance.now();
    await eventually(async () => {
      expect(await ask()).to.equal(false);
      return performance.now() - frozenMs > 3_000;
    });
    const backMs = recover(proxy);
    await eventually(ask, Boolean, 10_000);
    expect(performance.now() - backMs).to.be.below(3_000);
    await proxy.close();
  });
});

describe('what reports a revocation before its lease ends', () => {
  let app: TestApp;
  const closing: (() => Promise<void>)[] = [];

  interface Host {
    readonly paymount: Paymount;
    ask(secret: string): Promise<number>;
  }

  /** A host whose clock stands still: its lease never grows old, so that only a notification ends it. */
  async function timelessHost(options: Partial<PaymountOptions>): Promise<Host> {
    const clock = fakeClock('2026-05-01T12:00:00Z');
    const host = await startHost(app, { paymount: { clock, ...options } });
    closing.push(host.close);
    const ask = async (secret: string): Promise<number> => {
      const headers = { authorization: `Bearer ${secret}` };
      const answer = await fetch(`${host.url}/v1/charges`, { headers });
      await answer.text();
      return answer.status;
    };
    return { paymount: host.paymount, ask };
  }

  async function revokeUnder({ ask }: Pick<Host, 'ask'>, by = app.paymount): Promise<string> {
    const made = { account: app.account, livemode: false, type: 'secret', name: 'a' } as const;
    const { secret, ...key } = await app.paymount.keys.create(made);
    // The first look-up may come before the first sync; the second answer is from the cache.
    for (const _ of ['looked up', 'cached', 'cached']) expect(await ask(secret)).to.equal(200);
    await by.keys.revoke(key.id, { reason: 'owner' });
    return secret;
  }

  before(async () => {
    const redis = process.env['PAYMOUNT_TEST_REDIS_URL'];
    app = await startApp(redis ? { paymount: { redis } } : {});
  });
  after(async () => {
    for (const close of closing) await close();
    await app.close();
  });

  it('is PostgreSQL', async () => {
    const host = await timelessHost({});
    const secret = await revokeUnder(host);
    await eventually(async () => (await host.ask(secret)) === 401);
  });

  it(`is Redis, where PostgreSQL cannot be listened to (${REDIS_CURE})`, async function () {
    const host = await timelessHost({ preparedStatements: false, redis: redisUrl(this) });
    const secret = await revokeUnder(host);
    await eventually(async () => (await host.ask(secret)) === 401);
  });

  it('is the process itself', async () => {
    const host = await timelessHost({ preparedStatements: false });
    const secret = await revokeUnder(host, host.paymount);
    await eventually(async () => (await host.ask(secret)) === 401);
  });

  it('is only these two: without both it relies on its lease', async () => {
    const host = await timelessHost({ preparedStatements: false });
    const secret = await revokeUnder(host);
    for (let asked = 0; asked < 50; asked += 1) expect(await host.ask(secret)).to.equal(200);
  });
});

/** What was open while the network was frozen stays dead; new connections get through. */
function recover(proxy: TcpProxy): number {
  proxy.mend({ keepFrozen: true });
  return performance.now();
}
