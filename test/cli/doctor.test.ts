import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import pg from 'pg';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, postJson } from '../support/ask.ts';
import { emptyDatabase, freshDatabase, query, type TestDatabase } from '../support/database.ts';
import { ownRedis } from '../support/redis.ts';
import { paymount } from '../support/run-command.ts';
import { openTcpProxy } from '../support/tcp-proxy.ts';
import { doctor } from './run-doctor.ts';

const DAY = 86_400_000;

describe('paymount doctor', () => {
  let database: TestDatabase;
  let env: Record<string, string>;
  let sealingKeys: TestApp['sealingKeys'];

  before(async () => {
    database = await freshDatabase();
    env = { DATABASE_URL: database.url };
    const app = await startApp({ paymount: { database: database.url } });
    sealingKeys = app.sealingKeys;
    await app.worker.drain();
    await app.close();
  });
  after(() => database.drop());

  it('ends with 0 where all is well, and says what it has looked at', async () => {
    const { exitCode, ok, findings, found } = await doctor(env);
    expect({ exitCode, ok }).to.deep.equal({ exitCode: 0, ok: true });
    expect([...new Set(findings.map(({ subject }) => subject))]).to.deep.equal([
      'schema',
      'server',
      'connections',
      'transactions',
      'durability',
      'role',
      'locks',
      'autovacuum',
      'look-ups',
      'keys',
      'clock',
      'deliveries',
      'log',
      'mails',
      'endpoints',
      'notices',
      'payouts',
      'subscriptions',
      'reminders',
      'operations',
      'hook',
      'redis',
    ]);
    expect(found('server')?.message).to.match(/^PostgreSQL \d+\.\d+/);
    expect(found('log')?.message).to.equal('It has partitions for 7 days after today.');
    expect(found('redis')?.message).to.equal('None is set; retries use PostgreSQL.');
  });

  it('names a hook that no process has any more, and what waits for it', async () => {
    const other = await freshDatabase();
    try {
      const withHook = await startApp({
        paymount: { database: other.url, hook: async () => undefined },
      });
      await withHook.close();
      const [{ since }] = (await query(other.url, 'SELECT since FROM paymount.hook_use')) as [
        { since: Date },
      ];
      const env = { DATABASE_URL: other.url };
      const use = `A hook is in use since ${since.toISOString()}: processes without it record no results.`;
      expect((await doctor(env)).found('hook')).to.deep.equal({
        subject: 'hook',
        verdict: 'ok',
        message: use,
      });
      const app = await startApp({
        paymount: { database: other.url, sealingKeys: withHook.sealingKeys },
      });
      const sale = { amount: 100, currency: 'eur', payment_method: 'pm_card_visa' };
      await postJson(`${app.url}/v1/charges`, sale, { key: app.secretKey });
      await app.close();
      await query(
        other.url,
        `UPDATE paymount.operations SET review_since = now() - interval '1 hour'`,
      );
      const { found, exitCode } = await doctor(env);
      expect([exitCode, found('hook')]).to.deep.equal([
        1,
        {
          subject: 'hook',
          verdict: 'problem',
          message:
            `${use} 1 result has waited for it for more than 5 minutes. Start every process with the ` +
            'same `hook`; if no process has it any more, run `npx paymount hook remove --reason TEXT`.',
        },
      ]);
    } finally {
      await other.drop();
    }
  });

  it('prints a table for people', async () => {
    const { out } = await paymount(env, 'doctor');
    expect(out[0]).to.match(/^VERDICT +SUBJECT +MESSAGE$/);
    expect(out[1]).to.match(/^ok +schema +It fits this version\.$/);
  });

  it('warns of a proxy from whose address the keys of several accounts are used', async () => {
    const other = await freshDatabase();
    try {
      const app = await startApp({ paymount: { database: other.url } });
      const shop = { name: 'Another shop', country: 'DE', default_currency: 'eur' };
      const { id: account } = await app.paymount.accounts.create(shop);
      const named = { account, livemode: false, type: 'secret', name: 'Server' } as const;
      const { id, secret } = await app.paymount.keys.create(named);
      for (const key of [app.secretKey, secret]) await ask(`${app.url}/v1/charges`, { key });
      await app.close();
      const { found, exitCode } = await doctor({ DATABASE_URL: other.url });
      expect([exitCode, found('clients')]).to.deep.equal([
        0,
        {
          subject: 'clients',
          verdict: 'warning',
          message:
            'In a day the keys of 2 accounts were all used from 127.0.0.1. If that is a proxy, name it in `trustedProxies`: until then limits by address count all clients as one, and one of them can keep the others away.',
        },
      ]);
      const moved = `UPDATE paymount.key_usage SET last_ip = '203.0.113.7' WHERE key_id = '${id}'`;
      await query(other.url, moved);
      const again = await doctor({ DATABASE_URL: other.url });
      expect(again.found('clients')?.message).to.equal('In a day keys were used from 2 addresses.');
    } finally {
      await other.drop();
    }
  });

  it('names a server that may lose what it has committed', async () => {
    const other = await freshDatabase();
    try {
      const name = new URL(other.url).pathname.slice(1);
      await query(other.url, `ALTER DATABASE "${name}" SET synchronous_commit = off`);
      const { found } = await doctor({ DATABASE_URL: other.url });
      expect(found('durability')?.verdict).to.equal('warning');
      expect(found('durability')?.message).to.match(
        /^A crash of the server may lose committed payments: .*synchronous_commit is off\.$/,
      );
    } finally {
      await other.drop();
    }
  });

  it('ends with 1 without tables, and says what to run', async () => {
    const empty = await emptyDatabase();
    try {
      const { exitCode, found } = await doctor({ DATABASE_URL: empty.url });
      expect(exitCode).to.equal(1);
      expect(found('schema')?.verdict).to.equal('problem');
      expect(found('schema')?.message).to.include('npx paymount migrate');
    } finally {
      await empty.drop();
    }
  });

  it('ends with 1 where the database refuses connections, without a part of its address', async () => {
    const proxy = await openTcpProxy(database.url);
    proxy.cut();
    try {
      const { exitCode, found } = await doctor({ DATABASE_URL: proxy.url });
      expect(exitCode).to.equal(1);
      expect(found('database')?.verdict).to.equal('problem');
      expect(found('database')?.message).not.to.include(new URL(proxy.url).port);
    } finally {
      await proxy.close();
    }
  });

  it('finds overdue deliveries, a log without partitions, and e-mails that wait', async () => {
    const other = await freshDatabase();
    const app = await startApp({ paymount: { database: other.url } });
    try {
      await app.paymount.webhookEndpoints.create(app.acting, {
        url: 'https://127.0.0.1:9/hook',
        enabled_events: ['*'],
      });
      await app.worker.drain();
      await app.worker.close();
      await app.paymount.charges.create(app.acting, {
        amount: 700,
        currency: 'eur',
        source: 'tok_visa',
      });
      await query(
        other.url,
        `UPDATE paymount.deliveries SET due_at = due_at - interval '61 seconds';
         INSERT INTO paymount.mails (id, dedupe_key, to_address, subject, text, html, created, due_at)
         VALUES ('mail_1', 'x', 'a@example.com', 's', 't', 'h', now() - interval '3 hours', now()),
           ('mail_2', 'y', 'a@example.com', 's', 't', 'h', now() - interval '1 day', now());
         UPDATE paymount.mails SET failed_at = now() WHERE id = 'mail_2'`,
      );
      const days = [2, 3, 4, 5, 6, 7].map((ahead) =>
        new Date(Date.now() + ahead * DAY).toISOString().slice(0, 10).replaceAll('-', ''),
      );
      for (const day of days) {
        await query(other.url, `DROP TABLE paymount.delivery_attempts_${day}`);
      }
      const { exitCode, found } = await doctor({ DATABASE_URL: other.url });
      expect(exitCode).to.equal(1);
      expect(found('deliveries')).to.include({ verdict: 'problem' });
      expect(found('deliveries')?.message).to.match(/^The most overdue one is 6\d\.\d s late\./);
      expect(found('log')).to.deep.equal({
        subject: 'log',
        verdict: 'warning',
        message: 'It has partitions for 1 days after today. A worker creates them; start one.',
      });
      expect(found('mails')).to.deep.equal({
        subject: 'mails',
        verdict: 'problem',
        message:
          'E-mails that wait: 1, the oldest for 180 min. Check the mail server. ' +
          'Given up in the last 24 hours: 1; see their last_error.',
      });
    } finally {
      await app.close();
      await other.drop();
    }
  });

  it('warns of a transaction that stays open', async () => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      await client.query('BEGIN');
      const { found } = await doctor(env);
      expect(found('transactions')?.verdict).to.equal('ok');
      expect(found('transactions')?.message).to.match(/^The oldest has been open for \d seconds/);
    } finally {
      await client.end();
    }
  });

  it('looks at Redis, and warns of one that evicts or is down', async function () {
    const redis = await ownRedis(this);
    const asked = { ...env, REDIS_URL: redis.url };
    expect((await doctor(asked)).found('redis')?.message).to.match(/^Redis \d+\.\d+\.\d+\.$/);
    const client = new Redis(redis.url);
    await client.config('SET', 'maxmemory-policy', 'allkeys-lru');
    await client.quit();
    expect((await doctor(asked)).found('redis')).to.deep.equal({
      subject: 'redis',
      verdict: 'warning',
      message: 'maxmemory-policy is allkeys-lru. Redis may drop retries; set it to noeviction.',
    });
    await redis.stop();
    const { exitCode, found } = await doctor(asked);
    expect(exitCode).to.equal(0);
    expect(found('redis')?.verdict).to.equal('warning');
  });

  describe('with an egress proxy', () => {
    const REFUSAL =
      'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n';
    const HEAD = 'CONNECT paymount.invalid:443 HTTP/1.1';
    let folder: string;
    let proxy: Server;
    let asked: string[];
    let answer: string;

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'paymount-doctor-'));
      proxy = createServer();
      proxy.on('connect', ({ method, url, httpVersion, headers }, socket) => {
        const authorization = String(headers['proxy-authorization']);
        asked.push(`${method} ${url} HTTP/${httpVersion}`, authorization);
        socket.end(answer);
      });
      proxy.listen(0, '127.0.0.1');
      await once(proxy, 'listening');
    });
    beforeEach(() => {
      asked = [];
    });
    after(async () => {
      proxy.close();
      await rm(folder, { recursive: true });
    });

    /** What it finds about a proxy at this port. */
    async function examined(port = (proxy.address() as AddressInfo).port) {
      const config = join(folder, `${port}.mjs`);
      const options = {
        database: database.url,
        sealingKeys,
        egress: { proxy: `http://shop:tea@127.0.0.1:${port}` },
      };
      await writeFile(config, `export const options = ${JSON.stringify(options)};`);
      const { exitCode, found } = await doctor({}, '--config', config);
      return { exitCode, ...found('proxy') };
    }

    it('asks it for a connection to nowhere, with the credentials', async () => {
      answer = 'HTTP/1.1 502 Bad Gateway\r\n\r\n';
      expect(await examined()).to.deep.equal({
        exitCode: 0,
        subject: 'proxy',
        verdict: 'ok',
        message: 'It answers, and accepts the credentials.',
      });
      expect(asked).to.deep.equal([HEAD, `Basic ${btoa('shop:tea')}`]);
    });

    it('ends with 1 if it refuses the credentials', async () => {
      answer = REFUSAL;
      const { exitCode, message } = await examined();
      expect(exitCode).to.equal(1);
      expect(message).to.match(/^It refuses the credentials\. /);
    });

    it('ends with 1 if it is no HTTP proxy, or not there', async () => {
      answer = 'SSH-2.0-OpenSSH_9.6\r\n\r\n';
      expect((await examined()).message).to.match(/^It does not answer as an HTTP proxy/);
      const taken = createServer().listen(0, '127.0.0.1');
      await once(taken, 'listening');
      const { port } = taken.address() as AddressInfo;
      taken.close();
      await once(taken, 'close');
      const { exitCode, message } = await examined(port);
      expect(exitCode).to.equal(1);
      expect(message).to.match(/^It cannot be reached from this machine\. /);
    });
  });
});
