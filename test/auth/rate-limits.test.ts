import { createGuard, createLimits } from '@paymount/auth';
import { mintKey } from '@paymount/core/access';
import { DispatchHub } from '@paymount/core/events';
import { PaymountError } from '@paymount/core/kernel';
import { createPostgresStorage } from '@paymount/storage-postgres';
import { expect } from 'chai';
import type { RateLimitOptions } from 'paymount';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, postForm, type Reply } from '../support/ask.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { startError } from '../support/host.ts';
import { keptLog } from '../support/kept-log.ts';
import { makeSealingKeys } from '../support/make.ts';
import { requestWith } from '../support/memory-credentials.ts';

const PROXY = ['127.0.0.1'];

async function open(
  rateLimit?: RateLimitOptions | false,
): Promise<{ app: TestApp; clock: FakeClock }> {
  const clock = fakeClock('2026-05-01T12:00:00.000Z');
  const paymount = { clock, trustedProxies: PROXY, ...(rateLimit !== undefined && { rateLimit }) };
  return { app: await startApp({ paymount }), clock };
}

/** Requests one after the other from one address; their statuses. */
async function statuses(app: TestApp, key: string, times: number, from = '198.51.100.1') {
  const found: number[] = [];
  for (let n = 0; n < times; n += 1) found.push((await get(app, key, from)).status);
  return found;
}

/** What a proxy says of a client that used TLS. */
function proxied(from: string): Readonly<Record<string, string>> {
  return { 'x-forwarded-for': from, 'x-forwarded-proto': 'https' };
}

function get(app: TestApp, key: string, from = '198.51.100.1'): Promise<Reply> {
  return ask(`${app.url}/v1/charges?limit=1`, { key, headers: proxied(from) });
}

function tokenize(app: TestApp, from: string): Promise<Reply> {
  const headers = proxied(from);
  return postForm(`${app.url}/v1/tokens`, 'type=card', { key: app.publishableKey, headers });
}

function readLimits({ headers }: Reply): readonly unknown[] {
  return [headers['ratelimit-policy'], headers['ratelimit'], headers['retry-after']];
}

describe('rate limits', function () {
  this.timeout(20_000);
  let app: TestApp;
  let clock: FakeClock;
  afterEach(() => app.close());

  it('are in the headers of every response, and end in 429 with the seconds to wait', async () => {
    ({ app, clock } = await open({ key: { test: { requests: 2, seconds: 60, burst: 3 } } }));
    const policies = '"key";q=3;w=90, "account";q=250;w=2';
    const told = [];
    for (let n = 0; n < 3; n += 1) told.push(readLimits(await get(app, app.secretKey)));
    expect(told).to.deep.equal([
      [policies, '"key";r=2;t=30', undefined],
      [policies, '"key";r=1;t=60', undefined],
      [policies, '"key";r=0;t=90', undefined],
    ]);
    const refused = await get(app, app.secretKey);
    expect(refused.status).to.equal(429);
    expect(readLimits(refused)).to.deep.equal([policies, '"key";r=0;t=30', '30']);
    expect(refused.error).to.include({
      type: 'rate_limit_error',
      code: 'rate_limit',
      message: 'Too many requests with this key: 2 per 60 seconds are allowed. Try again in 30 s.',
    });
    clock.advance(30_000);
    expect(await statuses(app, app.secretKey, 2)).to.deep.equal([200, 429]);
  });

  it('are in the headers of errors too, and count a request with a body once', async () => {
    ({ app } = await open({ key: { test: { requests: 1, seconds: 60, burst: 3 } } }));
    const asked = { key: app.secretKey, headers: proxied('198.51.100.1') };
    const post = () => postForm(`${app.url}/v1/charges`, 'amount=x', asked);
    const first = await post();
    expect([first.status, first.headers['ratelimit']]).to.deep.equal([400, '"key";r=2;t=60']);
    expect((await post()).headers['ratelimit']).to.equal('"key";r=1;t=120');
    const missing = await ask(`${app.url}/v1/charges/ch_none`, asked);
    expect([missing.status, missing.headers['ratelimit']]).to.deep.equal([404, '"key";r=0;t=180']);
  });

  it('have the documented defaults: 50 at once with a test key, then 25 a second', async () => {
    ({ app, clock } = await open({}));
    const at = async (times: number) =>
      (await statuses(app, app.secretKey, times)).filter((status) => status === 200).length;
    expect(await at(60)).to.equal(50);
    clock.advance(1_000);
    expect(await at(60)).to.equal(25);
  });

  it('hold for all keys of an account together, and for each account alone', async () => {
    ({ app } = await open({ account: { test: { requests: 1, seconds: 60, burst: 3 } } }));
    const newKey = async (account: string) => {
      const made = { account, livemode: false, type: 'secret', name: 'More' } as const;
      return (await app.paymount.keys.create(made)).secret;
    };
    const [second, third] = [await newKey(app.account), await newKey(app.account)];
    const other = await app.paymount.accounts.create({
      name: 'Other shop',
      country: 'DE',
      default_currency: 'eur',
    });
    expect(await statuses(app, app.secretKey, 2)).to.deep.equal([200, 200]);
    expect(await statuses(app, second, 2)).to.deep.equal([200, 429]);
    const refused = await get(app, third);
    expect(readLimits(refused)).to.deep.equal([
      '"key";q=50;w=2, "account";q=3;w=180',
      '"account";r=0;t=60',
      '60',
    ]);
    expect(refused.error['message']).to.include('with the keys of this account');
    expect(await statuses(app, await newKey(other.id), 1)).to.deep.equal([200]);
  });

  it('hold for each visitor of a publishable key, of IPv6 for the whole /64', async () => {
    ({ app } = await open({
      publishableKey: { requests: 2, seconds: 60 },
      account: { test: { requests: 1, seconds: 60 } },
    }));
    const from = async (...addresses: string[]) => {
      const found: number[] = [];
      for (const address of addresses) found.push((await tokenize(app, address)).status);
      return found;
    };
    expect(await from('198.51.100.1', '198.51.100.1', '198.51.100.1')).to.deep.equal([
      400, 400, 429,
    ]);
    expect(await from('198.51.100.2')).to.deep.equal([400]);
    expect(await from('2001:db8::1', '2001:db8::2', '2001:db8::3')).to.deep.equal([400, 400, 429]);
    expect(await from('2001:db8:0:1::1')).to.deep.equal([400]);
    // What visitors do takes nothing from the servers of the account.
    expect(await statuses(app, app.secretKey, 1)).to.deep.equal([200]);
  });

  it('let no page of a browser guess: the headers may be read by any origin', async () => {
    ({ app } = await open({}));
    const { headers } = await tokenize(app, '198.51.100.1');
    expect(headers['access-control-expose-headers']).to.equal(
      'Request-Id, RateLimit, RateLimit-Policy, Retry-After',
    );
    expect(headers['ratelimit']).to.equal('"address";r=19;t=3');
  });

  it('look up 20 bad credentials a minute for an address, and go on for keys that were good', async () => {
    ({ app, clock } = await open({}));
    const guess = async (from: string) => (await get(app, mintKey('secret', 'test'), from)).status;
    // The second one is remembered: the first finds the process without a lease.
    expect(await statuses(app, app.secretKey, 2)).to.deep.equal([200, 200]);
    const found: number[] = [];
    for (let n = 0; n < 25; n += 1) found.push(await guess('198.51.100.1'));
    expect(found).to.deep.equal([...Array(20).fill(401), ...Array(5).fill(429)]);
    const refused = await get(app, mintKey('secret', 'test'));
    expect(readLimits(refused)).to.deep.equal([
      '"credentials";q=20;w=60',
      '"credentials";r=0;t=3',
      '3',
    ]);
    expect(refused.error['message']).to.include('with bad credentials from this address');
    expect(await guess('198.51.100.2')).to.equal(401);
    expect(await statuses(app, app.secretKey, 1)).to.deep.equal([200]);
    clock.advance(3_000);
    expect(await guess('198.51.100.1')).to.equal(401);
  });

  it('are neither applied nor shown when they are switched off', async () => {
    ({ app } = await open(false));
    expect(await statuses(app, app.secretKey, 60)).to.deep.equal(Array(60).fill(200));
    expect(readLimits(await get(app, app.secretKey))).to.deep.equal([
      undefined,
      undefined,
      undefined,
    ]);
    for (let n = 0; n < 25; n += 1) {
      expect((await get(app, mintKey('secret', 'test'))).status).to.equal(401);
    }
  });

  it('are refused at boot when they allow no request, or share nothing', async () => {
    ({ app } = await open());
    const boot = async (rateLimit: RateLimitOptions) => {
      const options = { database: app.databaseUrl, sealingKeys: makeSealingKeys(), rateLimit };
      return String(await startError(options));
    };
    expect(await boot({ admin: { requests: 0, seconds: 1 } })).to.include(
      '`rateLimit.admin.requests` must be a number above 0; it is 0.',
    );
    expect(await boot({ shared: true })).to.include('`rateLimit.shared` counts in Redis');
  });
});

describe('guessed keys', () => {
  const GUESSES = 100_000;

  it(`cost the database nothing when their check characters are wrong: ${GUESSES} of them`, async function () {
    this.timeout(60_000);
    const app = await startApp();
    const storage = createPostgresStorage({
      connection: app.databaseUrl,
      dispatch: new DispatchHub(),
    });
    let lookUps = 0;
    const clock = fakeClock('2026-05-01T12:00:00.000Z');
    const logger = keptLog();
    const guard = createGuard({
      credentials: {
        syncEpoch: (seen) => storage.credentials.syncEpoch(seen),
        findTokenByHash: (hash) => storage.credentials.findTokenByHash(hash),
        findByHash: (hash) => {
          lookUps += 1;
          return storage.credentials.findByHash(hash);
        },
      },
      clock,
      logger,
      limits: createLimits({}, { clock, logger }),
    });
    const guess = async (key: string): Promise<string> => {
      try {
        await guard.authenticate(requestWith(`Bearer ${key}`), 'test');
        return 'let in';
      } catch (error) {
        return PaymountError.is(error) ? error.code : String(error);
      }
    };
    try {
      const answers = new Map<string, number>();
      const key = mintKey('secret', 'test');
      for (let n = 0; n < GUESSES; n += 1) {
        const answer = await guess(key.slice(0, -6) + n.toString(36).padStart(6, '0'));
        answers.set(answer, (answers.get(answer) ?? 0) + 1);
      }
      expect(answers).to.deep.equal(new Map([['api_key_malformed', GUESSES]]));
      expect(lookUps).to.equal(0);
      const good: string[] = [];
      for (let n = 0; n < 1000; n += 1) good.push(await guess(mintKey('secret', 'test')));
      expect(good.slice(0, 20)).to.deep.equal(Array(20).fill('api_key_invalid'));
      expect(good.slice(20)).to.deep.equal(Array(980).fill('rate_limit'));
      expect(lookUps).to.equal(20);
    } finally {
      guard.close();
      await storage.close();
      await app.close();
    }
  });
});
