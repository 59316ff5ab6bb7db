import { SCOPES, type Scope } from '@paymount/core';
import { expect } from 'chai';
import { type Ask, ask, JSON_TYPE, type Reply } from '../http/ask.ts';
import { countRows } from '../http/row-count.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { fakeClock } from '../support/clock.ts';
import { type DocumentedRoute, documentedRoutes } from './documented-routes.ts';

/** Every route, asked with every kind of credential. */
describe('authorization matrix', () => {
  let app: TestApp;
  let routes: readonly DocumentedRoute[];
  let rowsBefore: Record<string, number>;
  let keys: Readonly<Record<'live' | 'revoked' | 'expired' | 'unknown', string>>;
  const restricted = new Map<Scope, string>();

  before(async () => {
    const clock = fakeClock();
    app = await startApp({ paymount: { clock } });
    routes = await documentedRoutes(app.url);
    const other = await startApp();
    keys = {
      live: await keyOf(app, { environment: 'live', type: 'secret' }),
      revoked: await revokedKey(),
      expired: await keyOf(app, {
        type: 'secret',
        expiresAt: new Date(clock.now().getTime() + 60_000),
      }),
      // Well-formed, and of another installation.
      unknown: other.secretKey,
    };
    await other.close();
    for (const scope of SCOPES) {
      restricted.set(scope, await keyOf(app, { type: 'restricted', scopes: [scope] }));
    }
    clock.advance(60_000);
    rowsBefore = await countRows(app.databaseUrl);
  });
  after(() => app.close());

  async function keyOf(
    { paymount, account }: TestApp,
    facts: {
      readonly environment?: 'live';
      readonly expiresAt?: Date;
    } & (
      | { readonly type: 'secret' }
      | { readonly type: 'restricted'; readonly scopes: readonly Scope[] }
    ),
  ): Promise<string> {
    const { secret } = await paymount.keys.create({
      accountId: account,
      name: 'matrix',
      createdBy: 'test',
      ...facts,
      environment: facts.environment ?? 'test',
    });
    return secret;
  }

  async function revokedKey(): Promise<string> {
    const { key, secret } = await app.paymount.keys.create({
      accountId: app.account,
      environment: 'test',
      type: 'secret',
      name: 'revoked',
      createdBy: 'test',
    });
    await app.paymount.keys.revoke(key.id, 'owner');
    return secret;
  }

  function send({ method, path }: DocumentedRoute, credential: Ask): Promise<Reply> {
    const headers = { ...(method === 'POST' ? JSON_TYPE : {}), ...credential.headers };
    const body = method === 'POST' ? { body: '{}' } : {};
    return ask(app.url + path, { ...credential, method, headers, ...body });
  }

  async function answersOf(credential: Ask): Promise<Record<string, string>> {
    const answers: Record<string, string> = {};
    for (const route of routes) {
      const { status, error } = await send(route, credential);
      answers[`${route.method} ${route.path}`] = `${status} ${String(error['code'] ?? '')}`.trim();
    }
    return answers;
  }

  function all(answer: (route: DocumentedRoute) => string): Record<string, string> {
    return Object.fromEntries(
      routes.map((route) => [`${route.method} ${route.path}`, answer(route)]),
    );
  }

  it('covers every documented route', () => {
    expect(routes).to.have.lengthOf.at.least(25);
  });

  it('refuses a request without a key, on every route', async () => {
    expect(await answersOf({ key: '' })).to.deep.equal(all(() => '401 api_key_missing'));
  });

  it('refuses malformed keys, on every route', async () => {
    const malformed = [
      app.secretKey.slice(0, -1),
      `${app.secretKey}0`,
      app.secretKey.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a')),
      'sk_test_',
      'x'.repeat(129),
    ];
    for (const key of malformed) {
      expect(await answersOf({ key })).to.deep.equal(all(() => '401 api_key_malformed'));
    }
  });

  it('refuses an unknown, a revoked and an expired key, on every route', async () => {
    const cases = [
      [keys.unknown, '401 api_key_invalid'],
      [keys.revoked, '401 api_key_revoked'],
      [keys.expired, '401 api_key_expired'],
    ] as const;
    for (const [key, answer] of cases) {
      expect(await answersOf({ key })).to.deep.equal(all(() => answer));
    }
  });

  it('refuses a key of the other environment, on every route', async () => {
    expect(await answersOf({ key: keys.live })).to.deep.equal(all(() => '401 livemode_mismatch'));
  });

  it('refuses two Authorization headers, alike or not, on every route', async () => {
    const authorization = [`Bearer ${app.secretKey}`, `Bearer ${app.secretKey}`];
    expect(await answersOf({ key: '', headers: { authorization } })).to.deep.equal(
      all(() => '400 multiple_credentials'),
    );
  });

  it('admits a publishable key where a browser needs it, and nowhere else', async () => {
    const answers = await answersOf({ key: app.publishableKey });
    expect(answers).to.deep.equal(
      all(({ publishable }) =>
        publishable ? '400 parameter_missing' : '403 publishable_key_not_allowed',
      ),
    );
    expect(routes.filter(({ publishable }) => publishable).map(({ path }) => path)).to.deep.equal([
      '/v1/payment_methods',
      '/v1/tokens',
    ]);
  });

  for (const scope of SCOPES) {
    it(`admits a key with ${scope} to the routes of that scope alone`, async () => {
      const key = restricted.get(scope) ?? '';
      for (const route of routes) {
        const reply = await send(route, { key });
        const what = `${route.method} ${route.path}: ${reply.text}`;
        if (route.scope === scope) {
          expect(reply.status, what).to.not.be.oneOf([401, 403]);
          continue;
        }
        expect(reply.status, what).to.equal(403);
        expect(reply.error['code'], what).to.equal('insufficient_scope');
        expect(reply.error['required_scope'], what).to.equal(route.scope);
        expect(reply.error['granted_scopes'], what).to.deep.equal([scope]);
        expect(reply.headers['www-authenticate'], what).to.include(`scope="${route.scope}"`);
      }
    });
  }

  it('gives Basic and Bearer the same answers, on every route', async () => {
    const basic = `Basic ${Buffer.from(`${app.secretKey}:`).toString('base64')}`;
    const byBasic = await answersOf({ key: '', headers: { authorization: basic } });
    expect(byBasic).to.deep.equal(await answersOf({ key: app.secretKey }));
  });

  it('refuses a key in the address, on every route, and whatever the header holds', async () => {
    for (const key of ['', app.secretKey]) {
      for (const route of routes) {
        const path = `${route.path}?key=${app.secretKey}`;
        const { status, error, text } = await send({ ...route, path }, { key });
        expect([status, error['code']], text).to.deep.equal([400, 'key_in_url']);
        expect(text).to.not.include(app.secretKey);
      }
    }
  });

  it('wrote nothing, whoever asked', async () => {
    expect(await countRows(app.databaseUrl)).to.deep.equal(rowsBefore);
  });
});
