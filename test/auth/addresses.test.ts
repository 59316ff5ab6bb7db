import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, postJson } from '../support/ask.ts';
import { startError } from '../support/host.ts';
import { keptLog } from '../support/kept-log.ts';
import { makeSealingKeys } from '../support/make.ts';
import { skipUnless } from '../support/skip.ts';

/** A key with this list of addresses. */
/** What a proxy says of a client that used TLS. */
const OVER_TLS = { 'x-forwarded-proto': 'https' };

async function keyFor(app: TestApp, allowedIps: readonly string[]): Promise<string> {
  const made = { account: app.account, livemode: false, type: 'secret' } as const;
  const named = { ...made, name: 'Listed', allowed_ips: allowedIps };
  return (await app.paymount.keys.create(named)).secret;
}

/** `200`, or status and code. */
async function askFrom(
  url: string,
  key: string,
  forwardedFor?: string | string[],
): Promise<string> {
  const headers = {
    ...OVER_TLS,
    ...(forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }),
  };
  const { status, error } = await ask(`${url}/v1/charges`, { key, headers });
  return [status, error['code']].filter((part) => part !== undefined).join(' ');
}

describe('address lists, asked directly', () => {
  let app: TestApp;

  before(async () => {
    app = await startApp({
      // Who claims to forward is heard here all the same.
      mount: (host, paymount) =>
        host.use(paymount.router({ environment: 'test', requireTls: false })),
    });
  });
  after(() => app.close());

  it('accept requests from a listed address, and refuse all others with 403', async () => {
    const [near, far] = [await keyFor(app, ['127.0.0.0/8']), await keyFor(app, ['203.0.113.7'])];
    expect(await askFrom(app.url, near)).to.equal('200');
    const refused = await ask(`${app.url}/v1/charges`, { key: far });
    expect(refused.status).to.equal(403);
    expect(refused.error).to.include({
      type: 'permission_error',
      code: 'ip_not_allowed',
      message: `The key sk_test_pm...${far.slice(-4)} may not be used from 127.0.0.1.`,
    });
  });

  it('believe no X-Forwarded-For while no proxy is trusted', async () => {
    const [near, far] = [await keyFor(app, ['127.0.0.1']), await keyFor(app, ['203.0.113.7'])];
    expect(await askFrom(app.url, far, '203.0.113.7')).to.equal('403 ip_not_allowed');
    expect(await askFrom(app.url, near, '203.0.113.7')).to.equal('200');
    expect(await askFrom(app.url, near, 'garbage')).to.equal('200');
  });

  it('know an IPv4 client on a socket that speaks both', async function () {
    const server = app.app.listen(0, '::ffff:127.0.0.1');
    const [failure] = await Promise.race([once(server, 'listening'), once(server, 'error')]);
    skipUnless(failure === undefined, 'a machine with IPv6', this);
    try {
      const { port } = server.address() as AddressInfo;
      const url = `http://127.0.0.1:${port}`;
      expect(await askFrom(url, await keyFor(app, ['127.0.0.1']))).to.equal('200');
      expect(await askFrom(url, await keyFor(app, ['127.0.0.2']))).to.equal('403 ip_not_allowed');
    } finally {
      server.close();
    }
  });

  it('are refused when one entry is not canonical, with the correction', async () => {
    const refusal = await keyFor(app, ['10.0.0.0/8', '10.1.2.3/8']).catch(
      (error: unknown) => error,
    );
    expect(String(refusal)).to.include(
      'allowed_ips[1] has bits set beyond its prefix of 8; did you mean 10.0.0.0/8?',
    );
  });
});

describe('address lists, behind proxies', () => {
  const LISTED = ['203.0.113.7', '2001:db8:1:2::/64'] as const;
  let app: TestApp;
  let listed: string;

  before(async () => {
    app = await startApp({ paymount: { trustedProxies: ['127.0.0.1', '10.0.0.0/8'] } });
    listed = await keyFor(app, LISTED);
  });
  after(() => app.close());

  for (const [title, forwardedFor, answer] of [
    ['a listed client', '203.0.113.7', '200'],
    ['a listed client, mapped into IPv6', '::ffff:203.0.113.7', '200'],
    ['a listed client, mapped and in hexadecimal', '::ffff:cb00:7107', '200'],
    ['a listed client behind two proxies', '203.0.113.7, 10.1.2.3', '200'],
    ['a listed client that wrote an entry itself', 'x, 203.0.113.7, 10.1.2.3', '200'],
    ['a listed client on two header lines', ['203.0.113.7', '10.1.2.3'], '200'],
    ['a listed client in the /64', '2001:db8:1:2:ffff::9', '200'],
    ['a neighbor of the /64', '2001:db8:1:3::9', '403 ip_not_allowed'],
    ['another client', '203.0.113.8', '403 ip_not_allowed'],
    ['a client that forged an entry', '203.0.113.7, 198.51.100.9', '403 ip_not_allowed'],
    ['a client that forged a header line', ['203.0.113.7', '198.51.100.9'], '403 ip_not_allowed'],
    [
      'a client that forged a proxy too',
      '203.0.113.7, 10.9.9.9, 198.51.100.9',
      '403 ip_not_allowed',
    ],
    ['an entry that is no address', 'unknown', '403 ip_not_allowed'],
    ['no entry between commas', '203.0.113.7,,10.1.2.3', '403 ip_not_allowed'],
    ['proxies alone', '10.1.2.3', '403 ip_not_allowed'],
    ['no entry at all', undefined, '403 ip_not_allowed'],
  ] as const) {
    it(`answer ${answer} to ${title}`, async () => {
      const sent = typeof forwardedFor === 'object' ? [...forwardedFor] : forwardedFor;
      expect(await askFrom(app.url, listed, sent)).to.equal(answer);
    });
  }

  it('say so when the address is unknown', async () => {
    const { error } = await ask(`${app.url}/v1/charges`, { key: listed, headers: OVER_TLS });
    expect(error['message']).to.equal(
      `The key sk_test_pm...${listed.slice(-4)} may be used only from certain addresses, and the address of this request is unknown.`,
    );
  });

  it('ask nothing of keys without a list', async () => {
    expect(await askFrom(app.url, app.secretKey, 'unknown')).to.equal('200');
    expect(await askFrom(app.url, app.secretKey)).to.equal('200');
  });

  it('come before scopes, in the order of the guard', async () => {
    const made = { account: app.account, livemode: false, type: 'restricted' } as const;
    const { secret } = await app.paymount.keys.create({
      ...made,
      name: 'Reader',
      scopes: ['charges:read'],
      allowed_ips: ['203.0.113.7'],
    });
    const refund = (forwarded: string) =>
      postJson(
        `${app.url}/v1/refunds`,
        {},
        { key: secret, headers: { ...OVER_TLS, 'x-forwarded-for': forwarded } },
      );
    expect((await refund('198.51.100.9')).error['code']).to.equal('ip_not_allowed');
    expect((await refund('203.0.113.7')).error['code']).to.equal('insufficient_scope');
  });
});

describe('the option trustedProxies', () => {
  it('is refused at boot when an entry is no range, with the correction', async () => {
    const app = await startApp();
    try {
      const refusal = await startError({
        database: app.databaseUrl,
        sealingKeys: makeSealingKeys(),
        trustedProxies: ['10.0.0.1/8'],
      });
      expect(String(refusal)).to.equal(
        'TypeError: The option `trustedProxies[0]` has bits set beyond its prefix of 8; ' +
          'did you mean 10.0.0.0/8?',
      );
    } finally {
      await app.close();
    }
  });

  for (const [title, trustedProxies, setting, warnings] of [
    ['is missed once when the app trusts proxies', undefined, 1, 1],
    ['is not missed when it is given', ['127.0.0.1'], 1, 0],
    ['is not missed when the app trusts nobody', undefined, false, 0],
  ] as const) {
    it(title, async () => {
      const logger = keptLog();
      const app = await startApp({
        paymount: { logger, ...(trustedProxies && { trustedProxies }) },
        mount: (host, paymount) => {
          host.set('trust proxy', setting);
          host.use(paymount.router({ environment: 'test' }));
        },
      });
      try {
        for (let n = 0; n < 3; n += 1) await askFrom(app.url, app.secretKey);
        const warned = logger.lines.filter(({ text }) => text.startsWith('The app trusts proxies'));
        expect(warned.map(({ level }) => level)).to.deep.equal(Array(warnings).fill('warn'));
      } finally {
        await app.close();
      }
    });
  }
});
