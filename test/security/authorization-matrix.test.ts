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
import { ofToday } from '../support/depth.ts';
import { formText } from '../support/form-text.ts';
import { LiveBank } from '../support/live-bank.ts';
import { type Belongings, makeBelongings } from '../support/owned-objects.ts';
import { pathTo, type V1Route } from '../support/route-row.ts';
import { V1_ROUTES } from '../support/route-table.ts';
import { itWritesNothing } from '../support/writes-nothing.ts';

const INVALID_TOKEN = 'Bearer realm="paymount", error="invalid_token"';

/** What every answer of a kind has in common. */
interface Refusal {
  readonly answer: string;
  readonly challenge?: string;
  readonly required?: string;
  readonly granted?: readonly string[];
}

/** One way to present a credential: a credential, its scheme, and the mount that is asked. */
interface Presentation {
  readonly what: string;
  readonly secret: string;
  readonly sent: Ask;
  readonly mount: string;
}

const bearer = (secret: string): Ask => ({ key: secret });
const basic = (secret: string): Ask => ({
  key: '',
  headers: { authorization: `Basic ${Buffer.from(`${secret}:`).toString('base64')}` },
});

/** Every route, asked with credentials of every class: the daily run takes a seventh of each class. */
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
      app,
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

  /** Each credential by Bearer, and the first by Basic too. */
  function present(credentials: readonly Presented[], mount = '/test'): readonly Presentation[] {
    const [first] = credentials;
    return [
      ...credentials.map((each) => ({ ...each, sent: bearer(each.secret), mount })),
      ...(first ? [{ ...first, sent: basic(first.secret), mount }] : []),
    ];
  }

  /** Asks every route in earnest. @param presentations a class of them; called when the tests run */
  function refuses(presentations: () => readonly Presentation[], refusal: Refusal): void {
    for (const [index, route] of V1_ROUTES.entries()) {
      it(route.name, async () => {
        for (const { what, secret, sent, mount } of ofToday(presentations(), index)) {
          const reply = await askInEarnest(route, sent, app.url + mount);
          expectRefusal(reply, refusal, `${what} at ${mount}`);
          expect(reply.text).to.not.include(secret.slice(0, -4));
        }
      });
    }
    itWritesNothing(() => app.databaseUrl);
  }

  describe('answers 401 api_key_missing to a request without a key', () => {
    for (const [index, route] of V1_ROUTES.entries()) {
      it(route.name, async () => {
        for (const headers of ofToday<Record<string, string>>([{}, { authorization: '' }], index)) {
          const reply = await askInEarnest(route, { key: '', headers });
          const challenge = 'Bearer realm="paymount"';
          expectRefusal(reply, { answer: '401 api_key_missing', challenge }, route.name);
        }
      });
    }
    itWritesNothing(() => app.databaseUrl);
  });

  describe('answers 401 api_key_malformed to a text that is not a key', () => {
    const refusal = { answer: '401 api_key_malformed', challenge: INVALID_TOKEN };
    refuses(() => present(malformedCredentials(app.secretKey)), refusal);
  });

  describe('answers 401 api_key_invalid to an unknown key of any type and environment', () => {
    const refusal = { answer: '401 api_key_invalid', challenge: INVALID_TOKEN };
    refuses(() => present(unknownKeys()), refusal);
  });

  describe('answers 401 api_key_invalid to every kind of credential that OAuth knows', () => {
    const refusal = { answer: '401 api_key_invalid', challenge: INVALID_TOKEN };
    refuses(() => present(oauthCredentials()), refusal);
  });

  describe('answers 401 api_key_revoked to a revoked key of any type, in either environment', () => {
    const refusal = { answer: '401 api_key_revoked', challenge: INVALID_TOKEN };
    refuses(() => [...present(revoked), ...present(revoked, '/live')], refusal);
  });

  describe('answers 401 api_key_expired to an expired key of any type', () => {
    refuses(() => present(expired), { answer: '401 api_key_expired', challenge: INVALID_TOKEN });
  });

  describe('answers 401 livemode_mismatch to a key of the other environment', () => {
    const refusal = { answer: '401 livemode_mismatch', challenge: INVALID_TOKEN };
    refuses(() => [...present(live), ...present(active, '/live')], refusal);
  });

  describe('answers 403 account_disabled to any key of a suspended account', () => {
    refuses(() => present(suspended), { answer: '403 account_disabled' });
  });

  describe('answers 403 to a publishable key, except where a browser needs it', () => {
    for (const route of V1_ROUTES) {
      it(route.name, async () => {
        if (route.publishable) {
          expect(await askLightly(route, app.publishableKey)).to.equal('400 parameter_unknown');
          return;
        }
        const reply = await askInEarnest(route, { key: app.publishableKey });
        expectRefusal(reply, { answer: '403 publishable_key_not_allowed' }, route.name);
      });
    }
    it('browsers need it for tokens and payment methods', () => {
      const open = V1_ROUTES.filter(({ publishable }) => publishable);
      const expected = ['POST /v1/payment_methods', 'POST /v1/tokens'];
      expect(open.map(({ name }) => name)).to.deep.equal(expected);
    });
    itWritesNothing(() => app.databaseUrl);
  });

  describe('names the scope that a route needs to a key without it', () => {
    for (const [index, route] of V1_ROUTES.entries()) {
      const { name, needs, orNeeds = needs } = route;
      const others = SCOPES.filter((scope) => scope !== needs && scope !== orNeeds);
      const named = orNeeds === needs ? needs : `${needs} or ${orNeeds}`;
      it(name, async () => {
        for (const scope of ofToday(others, index)) {
          const reply = await askInEarnest(route, { key: restricted.get(scope) ?? '' });
          if (needs === 'secret_key') {
            expectRefusal(reply, { answer: '403 secret_key_required' }, scope);
            continue;
          }
          const refusal = {
            answer: '403 insufficient_scope',
            challenge: `Bearer error="insufficient_scope", scope="${needs}"`,
            required: needs,
            granted: [scope],
          };
          expectRefusal(reply, refusal, scope);
          expect(reply.error['type']).to.equal('permission_error');
          expect(reply.error['message']).to.equal(`This key lacks ${named}.`);
        }
      });
    }
    itWritesNothing(() => app.databaseUrl);
  });

  describe('admits a key with the scope that a route needs, alone or among all', () => {
    for (const [index, route] of V1_ROUTES.entries()) {
      const { name, needs, orNeeds } = route;
      it(name, async () => {
        const withAll = active.find(({ what }) => what === 'restricted key')?.secret ?? '';
        if (needs === 'secret_key') {
          const reply = await askInEarnest(route, { key: withAll });
          expectRefusal(reply, { answer: '403 secret_key_required' }, name);
          return;
        }
        const admitted = await askLightly(route, app.secretKey);
        expect(admitted).to.match(/^(?:200|400|404)/);
        const alone = restricted.get(needs as Scope) ?? '';
        const other = orNeeds === undefined ? [] : [restricted.get(orNeeds as Scope) ?? ''];
        for (const key of [...ofToday([alone, withAll], index), ...other]) {
          const lacksOthers = route.readsEvents && key === alone;
          const expected = lacksOthers ? '403 insufficient_scope' : admitted;
          expect(await askLightly(route, key)).to.equal(expected);
        }
      });
    }
    itWritesNothing(() => app.databaseUrl);
  });

  describe('admits a secret key of live to every route of live', () => {
    for (const route of V1_ROUTES) {
      it(route.name, async () => {
        const key = live.find(({ what }) => what === 'secret key')?.secret ?? '';
        const answer = await askLightly(route, key, `${app.url}/live`);
        if (route.testOnly) expect(answer).to.equal('400 test_mode_only');
        expect(answer).to.match(/^(?:200|400|404)/);
      });
    }
  });

  describe('tells who lacks the scope nothing about what there is', () => {
    for (const route of V1_ROUTES.filter(({ name }) => name.includes('{id}'))) {
      it(route.name, async () => {
        const other =
          route.needs === 'subscriptions:write' ? 'payouts:read' : 'subscriptions:write';
        const key = restricted.get(other) ?? '';
        const there = await askInEarnest(route, { key });
        const nowhere = await ask(url + route.path, { key, method: route.method });
        const withoutId = ({ text }: Reply): string => text.replace(/"request_id":"[^"]+"/, '');
        expect(withoutId(there)).to.equal(withoutId(nowhere));
      });
    }
  });

  describe('does the work of every route for a secret key, so that each refusal was worth something', () => {
    // Reads first: what is deleted cannot be read.
    const order = ['GET', 'POST', 'DELETE'];
    const ordered = V1_ROUTES.toSorted((a, b) => order.indexOf(a.method) - order.indexOf(b.method));
    for (const route of ordered) {
      it(route.name, async () => {
        const reply = await askInEarnest(route, { key: app.secretKey });
        expect(summarize(reply), reply.text).to.equal(route.answer ?? '200');
      });
    }
  });
});
