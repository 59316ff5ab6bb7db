import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import {
  createPaymount,
  type Environment,
  hostSessionAdmin,
  type Paymount,
  type PaymountOptions,
} from 'paymount';
import { startWorker } from 'paymount/worker';
import { childProgram } from '../support/child-program.ts';
import { fakeClock } from '../support/clock.ts';
import { freshDatabase, type TestDatabase } from '../support/database.ts';
import { SILENT, startError } from '../support/host.ts';
import { LiveBank } from '../support/live-bank.ts';
import { makeSealingKeys } from '../support/make.ts';

/** What the child says until it ends by itself; it is killed, and the test fails, after 25 s. */
async function readOutput(options: readonly string[]): Promise<string> {
  const child = await childProgram(new URL('./ending-child.ts', import.meta.url));
  const run = promisify(execFile)(process.execPath, [child, ...options], {
    timeout: 25_000,
    cwd: await mkdtemp(join(tmpdir(), 'paymount-ending-')),
  });
  return (await run).stdout;
}

/** Answers what ioredis asks before it is ready, and nothing more. */
async function startRedisThatFreezes(): Promise<{ url: string; stop(): Promise<void> }> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (sent) => {
      const asked = String(sent).toLowerCase();
      if (asked.includes('hello')) socket.write('%0\r\n');
      if (asked.includes('client'))
        socket.write('+OK\r\n'.repeat(asked.split('client').length - 1));
      if (asked.includes('\r\ninfo\r\n') && !asked.includes('memory')) socket.write('$0\r\n\r\n');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('There is no port.');
  return {
    url: `redis://127.0.0.1:${address.port}`,
    async stop() {
      server.close();
      await once(server, 'close');
    },
  };
}

type Mounted = Partial<PaymountOptions> & Parameters<Paymount['router']>[0];

/** What a host is told, and when: at its start, not by its first merchant. */
describe('starting a mount', () => {
  const sealingKeys = makeSealingKeys();
  let database: TestDatabase;
  before(async () => {
    database = await freshDatabase();
  });
  after(() => database.drop());

  function start(options: Partial<PaymountOptions>): Promise<Paymount> {
    return createPaymount({ database: database.url, logger: SILENT, sealingKeys, ...options });
  }

  async function bootError(options: Partial<PaymountOptions>): Promise<string> {
    const error = await startError({ database: database.url, sealingKeys, ...options });
    return error?.message ?? 'It started.';
  }

  it('refuses an empty database, as an unset DATABASE_URL gives', async () => {
    expect(await bootError({ database: '' })).to.equal('`database` is empty; is DATABASE_URL set?');
  });

  it('refuses to mount an unknown environment', async () => {
    const paymount = await start({});
    try {
      expect(() => paymount.router({ environment: 'prod' as 'live' })).to.throw(
        '`environment` is "live", "test" or a function of the request.',
      );
      // @ts-expect-error nothing at all
      expect(() => paymount.router()).to.throw('`environment` is "live", "test" or a function');
    } finally {
      await paymount.close();
    }
  });

  it('refuses live without a mailer, unless it is left out by name', async () => {
    const needed =
      'Live needs a mailer: pass `mail.smtp`, a `mailer` of your own, or `mailer: false`';
    const processors = { live: new LiveBank(fakeClock()) };
    const smtp = { smtp: 'smtp://127.0.0.1:9', from: 'a@example.com' };
    const warnings: string[] = [];
    const logger = { ...SILENT, warn: (_: object, text: string) => void warnings.push(text) };
    const said = async (options: Mounted): Promise<string> => {
      const { environment, ...rest } = options;
      const paymount = await start({ processors, logger, ...rest });
      try {
        paymount.router({ environment });
        return 'mounted';
      } catch (error) {
        return String(error);
      } finally {
        await paymount.close();
      }
    };

    const byRequest = (): Environment => 'test';
    for (const environment of ['live', byRequest] as const) {
      expect(await said({ environment })).to.include(needed);
      const onlySender = { from: 'a@example.com', operator: 'b@example.com' };
      expect(await said({ environment, mail: onlySender })).to.include(needed);
      for (const options of [{ mail: smtp }, { mailer: { send: async () => undefined } }]) {
        expect(await said({ environment, ...options })).to.equal('mounted');
      }
      expect(warnings).to.deep.equal([]);
      expect(await said({ environment, mailer: false })).to.equal('mounted');
      expect(warnings.splice(0)).to.deep.equal([
        'Live has `mailer: false`: no e-mail is sent, about leaked keys or anything else.',
      ]);
    }
    expect(await said({ environment: 'test' })).to.equal('mounted');
    expect(await said({ environment: 'test', mailer: false })).to.equal('mounted');
    expect(warnings).to.deep.equal([]);
  });

  it('refuses a worker with a live processor and no mailer, as the worker sends the mails', async () => {
    const live = new LiveBank(fakeClock());
    const began = async (options: Partial<PaymountOptions>): Promise<string> => {
      const paymount = await start(options);
      try {
        const worker = await startWorker(paymount);
        await worker.close();
        return 'started';
      } catch (error) {
        return String(error);
      } finally {
        await paymount.close();
      }
    };
    expect(await began({ processors: { live } })).to.include('Live needs a mailer');
    expect(await began({ processors: { live }, mailer: false })).to.equal('started');
    expect(await began({})).to.equal('started');
  });

  it('refuses two ways of sending e-mail, and a mailer without `send`', async () => {
    const mail = { smtp: 'smtp://127.0.0.1:9', from: 'a@example.com' };
    for (const mailer of [false, { send: async () => undefined }] as const) {
      expect(await bootError({ mail, mailer })).to.equal('Pass `mailer` or `mail.smtp`, not both.');
    }
    for (const mailer of [null, true, 'smtp://localhost', {}, () => undefined]) {
      expect(await bootError({ mailer: mailer as unknown as false })).to.include(
        'the option `mailer` must be a mailer with `send`, or false; it is ',
      );
    }
  });

  it('refuses an invalid network', async () => {
    expect(await bootError({ egress: { allowedNetworks: ['10.0.0.0/8', 'lan'] } })).to.equal(
      '"lan" is not a network; write it as an address and a prefix, such as 10.0.0.0/8.',
    );
  });

  it('refuses an invalid host of its own', async () => {
    for (const host of [
      'https://api.example.com',
      'api.example.com:443',
      'a b',
      '*.example.com',
      '[::1]',
    ]) {
      expect(await bootError({ egress: { ownHosts: ['api.example.com', host] } })).to.equal(
        `"${host}" is not a host; write a name such as api.example.com, or an address.`,
      );
    }
  });

  it('refuses a proxy that is not an HTTP URL, and does not repeat its password', async () => {
    for (const proxy of [
      'user:secret@proxy:3128',
      'https://user:secret@proxy:3128',
      'socks5://user:secret@proxy:1080',
      'http://user:secret@proxy:3128/path',
      'http://user:secret@proxy:3128/?a',
    ]) {
      const error = await bootError({ egress: { proxy } });
      expect(error, proxy).to.include('the option `egress.proxy` must be the URL of an HTTP proxy');
      expect(error, proxy).not.to.include('secret');
    }
  });

  it('refuses networks and ports that are not arrays', async () => {
    for (const allowedNetworks of ['10.0.0.0/8', { 0: '10.0.0.0/8' }]) {
      expect(
        await bootError({ egress: { allowedNetworks: allowedNetworks as unknown as string[] } }),
      ).to.include(
        "the option `egress.allowedNetworks` must be a list of CIDR ranges such as ['10.0.0.0/8']; it is ",
      );
    }
    for (const ports of [8444, '8444']) {
      expect(await bootError({ egress: { ports: ports as unknown as number[] } })).to.include(
        'the option `egress.ports` must be a list of port numbers such as [8444], or "any"; it is ',
      );
    }
  });

  it('refuses an unknown option, and names the one that was meant', async () => {
    const misspelled: readonly (readonly [object, string])[] = [
      [
        { trustedProxy: ['10.0.0.0/8'] },
        'no option `trustedProxy`; did you mean `trustedProxies`?',
      ],
      [{ egress: { port: [1] } }, 'no option `egress.port`; did you mean `egress.ports`?'],
      [
        { rateLimit: { key: { prod: { requests: 1, seconds: 1 } } } },
        'no option `rateLimit.key.prod`; did you mean `rateLimit.key.live`?',
      ],
      [
        { rateLimit: { shard: true } },
        'no option `rateLimit.shard`; did you mean `rateLimit.shared`?',
      ],
      [{ constructor: {} }, 'no option `constructor`; did you mean'],
    ];
    for (const [options, refusal] of misspelled) {
      expect(await bootError(options)).to.include(`createPaymount() has ${refusal}`);
    }
    expect(await bootError({ rateLimit: false, database: '' })).to.include('DATABASE_URL');
    const paymount = await start({});
    try {
      const requireTLS = { requireTLS: true };
      expect(() => paymount.router({ environment: 'test', ...requireTLS })).to.throw(
        TypeError,
        'router() has no option `requireTLS`; did you mean `requireTls`?',
      );
      // @ts-expect-error TypeScript would notice
      expect(() => paymount.leakRouter({ ...requireTLS })).to.throw(
        TypeError,
        'leakRouter() has no option `requireTLS`; did you mean `requireTls`?',
      );
      const orgins = { authenticate: hostSessionAdmin(() => undefined), orgins: [] };
      expect(() => paymount.managementRouter(orgins)).to.throw(
        TypeError,
        'managementRouter() has no option `orgins`; did you mean `origins`?',
      );
      const misspelled: object = { reconsile: false };
      const worker = await startWorker(paymount, misspelled).catch(String);
      expect(worker).to.equal(
        'TypeError: startWorker() has no option `reconsile`; did you mean `reconcile`?',
      );
    } finally {
      await paymount.close();
    }
  });

  it('refuses an unknown leak policy', async () => {
    for (const leakPolicy of ['notfy', 'Revoke', '', null]) {
      expect(await bootError({ leakPolicy: leakPolicy as 'notify' })).to.include(
        'the option `leakPolicy` must be "revoke" or "notify"; it is ',
      );
    }
  });

  it('refuses trusted proxies that are not an array', async () => {
    for (const trustedProxies of ['10.0.0.0/8', '', { 0: '10.0.0.0/8' }, null]) {
      expect(await bootError({ trustedProxies: trustedProxies as unknown as string[] })).to.include(
        "the option `trustedProxies` must be a list of addresses and CIDR ranges such as ['10.0.0.0/8']",
      );
    }
  });

  it('refuses an issuer tag that keys cannot carry', async () => {
    expect(await bootError({ issuerTag: 'my_shop' })).to.equal(
      'An issuer tag is 2 to 8 letters or digits.',
    );
  });

  it('ends a process with a wrong option, with and without Redis', async () => {
    const redis = await startRedisThatFreezes();
    expect(await readOutput([database.url, redis.url, '!'])).to.equal(
      'refused: An issuer tag is 2 to 8 letters or digits.\n',
    );
    await redis.stop();
  });

  it('ends a process that closed while Redis was down', async () => {
    const redis = await startRedisThatFreezes();
    // The child makes a sealing key of its own.
    const own = await freshDatabase();
    expect(await readOutput([own.url, redis.url])).to.equal('closed\n');
    await redis.stop();
    await own.drop();
  });

  it('refuses keys that do not open what is stored, another one of the same name too', async () => {
    const paymount = await start({});
    const account = await paymount.accounts.create({
      name: 'Shop',
      country: 'DE',
      default_currency: 'eur',
    });
    await paymount.webhookEndpoints.create(
      { account: account.id, environment: 'test' },
      { url: 'https://hooks.example.com/', enabled_events: ['*'] },
    );
    await paymount.close();
    const missing = [...named('other'), ...named('another')];
    expect(await bootError({ sealingKeys: missing })).to.match(
      /^Secrets in endpoint_secrets that were sealed with the key "test" cannot be opened\. Pass the original key in sealingKeys/,
    );
    expect(await bootError({ sealingKeys: makeSealingKeys() })).to.match(
      /sealed with the key "test"/,
    );
    const again = await start({ sealingKeys: [...named('newer'), ...sealingKeys] });
    await again.close();
  });

  function named(kid: string) {
    return makeSealingKeys().map(({ key }) => ({ kid, key }));
  }
});
