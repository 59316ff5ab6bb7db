import { SCOPES, type Scope } from '@paymount/core/kernel';
import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { type Ask, ask, FORM, postForm, type Reply } from '../support/ask.ts';
import { fakeClock } from '../support/clock.ts';
import { connectTwo } from '../support/connect-platform.ts';
import {
  makeAccount,
  makeKey,
  malformedCredentials,
  oauthCredentials,
  oneOfEach,
  type Presented,
  unknownKeys,
} from '../support/credentials.ts';
import { formText } from '../support/form-text.ts';
import { LiveBank } from '../support/live-bank.ts';
import { type Belongings, makeBelongings } from '../support/owned-objects.ts';
import { pathTo, type V1Route } from '../support/route-row.ts';
import { V1_ROUTES } from '../support/route-table.ts';
import { tableContents } from '../support/table-contents.ts';

const INVALID_TOKEN = 'Bearer realm="paymount", error="invalid_token"';

/** What every answer of a kind has in common. */
interface Refusal {
  readonly answer: string;
  readonly challenge?: string;
  readonly required?: string;
  readonly granted?: readonly string[];
}

/** Every route, asked with every kind of credential. */
describe('authorization matrix', function () {
  this.timeout(30_000);
  let app: TestApp;
  let url: string;
  let own: Belongings;
  let active: readonly Presented[];
  let live: readonly Presented[];
  let revoked: readonly Presented[];
  let expired: readonly Presented[];
  let suspended: readonly Presented[];
  const restricted = new Map<Scope, string>();

  before(async () => {
    const clock = fakeClock();
    const processors = { live: new LiveBank(clock) };
    app = await startApp({
      paymount: { clock, processors },
      mount: (host, paymount) => {
        host.use('/test', paymount.router({ environment: 'test' }));
        host.use('/live', paymount.router({ environment: 'live' }));
      },
    });
    url = `${app.url}/test`;
    const { paymount, account } = app;
    active = await oneOfEach(paymount, account);
    live = await oneOfEach(paymount, account, { environment: 'live' });
    const made = [
      ...(await oneOfEach(paymount, account)),
      ...(await oneOfEach(paymount, account, { environment: 'live' })),
    ];
    for (const { id } of made) await paymount.keys.revoke(id as never, { reason: 'owner' });
    revoked = made;
    const expiresAt = new Date(clock.now().getTime() + 60_000);
    expired = await oneOfEach(paymount, account, { expiresAt });
    const closed = await makeAccount(paymount, 'A suspended shop');
    suspended = await oneOfEach(paymount, closed);
    await paymount.accounts.suspend(closed);
    for (const scope of SCOPES) {
      const facts = { type: 'restricted', scopes: [scope] } as const;
      restricted.set(scope, (await makeKey(paymount, account, facts)).secret);
    }
    const { id: spareKey } = await makeKey(paymount, account);
    const applications = await connectTwo(paymount, account);
    own = await makeBelongings({
      url,
      key: app.secretKey,
      spareKey,
      worker: app.worker,
      applications,
    });
    await app.worker.drain();
    clock.advance(60_000);
  });
  after(() => app.close());

  /** A request that would do what the route is for, on an object that is there. */
  function askInEarnest(route: V1Route, credential: Ask, mount = url) {
    const { method, body } = route;
    const path = pathTo(route, own);
    const sent = formText(body?.(own, false) ?? {});
    if (method === 'GET') return ask(mount + path, credential);
    return postForm(mount + path, sent, { ...credential, method });
  }

  /** A request that is admitted, and then refused for its parameters: it changes nothing. */
  async function askLightly({ method, path }: V1Route, key: string, mount = url) {
    const body = method === 'GET' ? {} : { headers: FORM, body: 'no_such_parameter=1' };
    return summarize(await ask(mount + path, { key, method, ...body }));
  }

  const bearer = (secret: string): Ask => ({ key: secret });
  const basic = (secret: string): Ask => ({
    key: '',
    headers: { authorization: `Basic ${Buffer.from(`${secret}:`).toString('base64')}` },
  });

  const summarize = ({ status, error }: Reply): string =>
    [status, error['code']].filter((part) => part !== undefined).join(' ');

  function expectRefusal(reply: Reply, refusal: Refusal, what: string): void {
    const { headers, error } = reply;
    const seen: Refusal = {
      answer: summarize(reply),
      ...(headers['www-authenticate'] && { challenge: headers['www-authenticate'] }),
      ...('required_scope' in error && { required: String(error['required_scope']) }),
      ...('granted_scopes' in error && { granted: error['granted_scopes'] as string[] }),
    };
    expect(seen, `${what}: ${reply.text}`).to.deep.equal(refusal);
    expect(headers['cache-control'], what).to.equal('no-store');
    expect(headers['request-id'], what).to.equal(error['request_id']);
  }

  /**
   * Asks every route in earnest, the first credential by Basic too, and holds the tables against
   * what they were before.
   */
  async function expectRefused(
    credentials: readonly Presented[],
    refusal: Refusal,
    mount = url,
  ): Promise<void> {
    const before = await tableContents(app.databaseUrl);
    for (const [index, { what, secret }] of credentials.entries()) {
      for (const scheme of index === 0 ? [bearer, basic] : [bearer]) {
        for (const route of V1_ROUTES) {
          const reply = await askInEarnest(route, scheme(secret), mount);
          expectRefusal(reply, refusal, `${what}, ${route.name}`);
          expect(reply.text).to.not.include(secret.slice(0, -4));
        }
      }
    }
    expect(await tableContents(app.databaseUrl)).to.deep.equal(before);
  }

  it('answers 401 api_key_missing to a request without a key', async () => {
    const before = await tableContents(app.databaseUrl);
    for (const headers of [{}, { authorization: '' }]) {
      for (const route of V1_ROUTES) {
        const reply = await askInEarnest(route, { key: '', headers });
        const challenge = 'Bearer realm="paymount"';
        expectRefusal(reply, { answer: '401 api_key_missing', challenge }, route.name);
      }
    }
    expect(await tableContents(app.databaseUrl)).to.deep.equal(before);
  });

  it('answers 401 api_key_malformed to a text that is not a key', async () => {
    const refusal = { answer: '401 api_key_malformed', challenge: INVALID_TOKEN };
    await expectRefused(malformedCredentials(app.secretKey), refusal);
  });

  it('answers 401 api_key_invalid to an unknown key of any type and environment', async () => {
    const refusal = { answer: '401 api_key_invalid', challenge: INVALID_TOKEN };
    await expectRefused(unknownKeys(), refusal);
  });

  it('answers 401 api_key_invalid to every kind of credential that OAuth knows', async () => {
    const refusal = { answer: '401 api_key_invalid', challenge: INVALID_TOKEN };
    await expectRefused(oauthCredentials(), refusal);
  });

  it('answers 401 api_key_revoked to a revoked key of any type, in either environment', async () => {
    const refusal = { answer: '401 api_key_revoked', challenge: INVALID_TOKEN };
    for (const mount of ['/test', '/live']) {
      await expectRefused(revoked, refusal, app.url + mount);
    }
  });

  it('answers 401 api_key_expired to an expired key of any type', async () => {
    const refusal = { answer: '401 api_key_expired', challenge: INVALID_TOKEN };
    await expectRefused(expired, refusal);
  });

  it('answers 401 livemode_mismatch to a key of the other environment', async () => {
    const refusal = { answer: '401 livemode_mismatch', challenge: INVALID_TOKEN };
    await expectRefused(live, refusal);
    await expectRefused(active, refusal, `${app.url}/live`);
  });

  it('answers 403 account_disabled to any key of a suspended account', async () => {
    await expectRefused(suspended, { answer: '403 account_disabled' });
  });

  it('answers 403 to a publishable key, except where a browser needs it', async () => {
    const before = await tableContents(app.databaseUrl);
    for (const route of V1_ROUTES.filter((route) => route.publishable !== true)) {
      const reply = await askInEarnest(route, { key: app.publishableKey });
      expectRefusal(reply, { answer: '403 publishable_key_not_allowed' }, route.name);
    }
    expect(await tableContents(app.databaseUrl)).to.deep.equal(before);
    const open = V1_ROUTES.filter((route) => route.publishable === true);
    for (const route of open) {
      expect(await askLightly(route, app.publishableKey)).to.equal('400 parameter_unknown');
    }
    expect(open.map(({ name }) => name)).to.deep.equal([
      'POST /v1/payment_methods',
      'POST /v1/tokens',
    ]);
  });

  for (const scope of SCOPES) {
    it(`admits a key with ${scope} where that is needed, and names what is needed elsewhere`, async () => {
      const key = restricted.get(scope) ?? '';
      const before = await tableContents(app.databaseUrl);
      for (const route of V1_ROUTES) {
        const { needs } = route;
        if (needs === scope) {
          const admitted = await askLightly(route, key);
          expect(admitted, route.name).to.equal(await askLightly(route, app.secretKey));
          expect(admitted, route.name).to.match(/^(?:200|400|404)/);
          continue;
        }
        const refusal =
          needs === 'secret_key'
            ? { answer: '403 secret_key_required' }
            : {
                answer: '403 insufficient_scope',
                challenge: `Bearer error="insufficient_scope", scope="${needs}"`,
                required: needs,
                granted: [scope],
              };
        const reply = await askInEarnest(route, { key });
        expectRefusal(reply, refusal, route.name);
        if (needs !== 'secret_key') {
          expect(reply.error['type']).to.equal('permission_error');
          expect(reply.error['message']).to.equal(`This key lacks ${needs}.`);
        }
      }
      expect(await tableContents(app.databaseUrl)).to.deep.equal(before);
    });
  }

  it('admits a key with every scope wherever a scope is enough', async () => {
    const key = active.find(({ what }) => what === 'restricted key')?.secret ?? '';
    for (const route of V1_ROUTES) {
      if (route.needs === 'secret_key') {
        const reply = await askInEarnest(route, { key });
        expectRefusal(reply, { answer: '403 secret_key_required' }, route.name);
      } else {
        expect(await askLightly(route, key), route.name).to.equal(
          await askLightly(route, app.secretKey),
        );
      }
    }
  });

  it('admits a secret key of live to every route of live', async () => {
    const key = live.find(({ what }) => what === 'secret key')?.secret ?? '';
    for (const route of V1_ROUTES) {
      const answer = await askLightly(route, key, `${app.url}/live`);
      if (route.testOnly) expect(answer, route.name).to.equal('400 test_mode_only');
      expect(answer, route.name).to.match(/^(?:200|400|404)/);
    }
  });

  it('tells who lacks the scope nothing about what there is', async () => {
    const key = restricted.get('subscriptions:write') ?? '';
    for (const route of V1_ROUTES.filter(({ name }) => name.includes('{id}'))) {
      const there = await askInEarnest(route, { key });
      const nowhere = await ask(url + route.path, { key, method: route.method });
      const withoutId = ({ text }: Reply): string => text.replace(/"request_id":"[^"]+"/, '');
      expect(withoutId(there), route.name).to.equal(withoutId(nowhere));
    }
  });

  it('does the work of every route for a secret key, so that each refusal was worth something', async () => {
    // Reads first: what is deleted cannot be read.
    const order = ['GET', 'POST', 'DELETE'];
    const ordered = V1_ROUTES.toSorted((a, b) => order.indexOf(a.method) - order.indexOf(b.method));
    for (const route of ordered) {
      const reply = await askInEarnest(route, { key: app.secretKey });
      expect(summarize(reply), `${route.name}: ${reply.text}`).to.equal(route.answer ?? '200');
    }
  });
});
