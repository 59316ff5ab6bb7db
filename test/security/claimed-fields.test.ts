import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, postForm, postJson, type Reply } from '../support/ask.ts';
import { connectTwo } from '../support/connect-platform.ts';
import { makeAccount, makeKey } from '../support/credentials.ts';
import { ofToday } from '../support/depth.ts';
import { type DocumentedRoute, documentedRoutes } from '../support/documented-routes.ts';
import { formText } from '../support/form-text.ts';
import { type Belongings, makeBelongings } from '../support/owned-objects.ts';
import { pathTo, type V1Route } from '../support/route-row.ts';
import { V1_ROUTES } from '../support/route-table.ts';
import { itWritesNothing } from '../support/writes-nothing.ts';

/** What a caller may be told of an object, or may wish to be, and never sets. */
const CLAIMS: Readonly<Record<string, unknown>> = {
  id: 'ch_00000000000000000000000000',
  object: 'charge',
  status: 'succeeded',
  livemode: true,
  environment: 'live',
  account: 'acct_00000000000000000000000000',
  account_id: 'acct_00000000000000000000000000',
  on_behalf_of: 'acct_00000000000000000000000000',
  scopes: ['charges:write'],
  key_id: 'key_00000000000000000000000000',
  type: 'secret',
  version: 2,
  created: '2020-01-01T00:00:00.000Z',
  captured: true,
  paid: true,
  amount_captured: 1,
  amount_refunded: 0,
  balance_transaction: 'txn_00000000000000000000000000',
  outcome: { approved: true },
  fee: 0,
  secret: 'whsec_x',
  api_version: '2020-01-01',
  processor_reference: 'x',
  failure_code: 'none',
};

/** The daily run claims a seventh of the fields on each route. */
describe('fields that a caller claims', function () {
  this.timeout(30_000);
  let app: TestApp;
  let other: string;
  let own: Belongings;
  let documented: ReadonlyMap<string, DocumentedRoute>;

  before(async () => {
    app = await startApp();
    const { paymount, account, url, secretKey: key } = app;
    const { id: spareKey } = await makeKey(paymount, account);
    const applications = await connectTwo(paymount, account);
    own = await makeBelongings({ url, key, spareKey, app, applications });
    documented = await documentedRoutes(`${url}/v1/openapi.json`);
    other = await makeAccount(paymount, 'Another shop');
    await app.worker.drain();
  });
  after(() => app.close());

  function unknownClaims({ name: route }: V1Route): readonly [string, unknown][] {
    const taken = new Set(documented.get(route)?.parameters.map(({ name }) => name));
    return Object.entries(CLAIMS).filter(([name]) => !taken.has(name));
  }

  /** The request that would do the work of the route, with one field more. */
  function send(route: V1Route, claim: string): Promise<Reply> {
    const { method, body } = route;
    const url = app.url + pathTo(route, own);
    const key = app.secretKey;
    if (method === 'GET') return ask(`${url}${url.includes('?') ? '&' : '?'}${claim}`, { key });
    return postForm(url, [formText(body?.(own, false) ?? {}), claim].filter(Boolean).join('&'), {
      key,
      method,
    });
  }

  function expectUnknown(reply: Reply, name: string, what: string): void {
    const { status, error } = reply;
    expect([status, error['code'], error['param']], `${what}: ${reply.text}`).to.deep.equal([
      400,
      'parameter_unknown',
      name,
    ]);
  }

  describe('are refused by name on every route, in a query and in a form', () => {
    for (const [index, route] of V1_ROUTES.entries()) {
      it(route.name, async () => {
        for (const [name, value] of ofToday(unknownClaims(route), index)) {
          const text = typeof value === 'object' ? 'x' : String(value);
          expectUnknown(await send(route, `${name}=${text}`), name, name);
        }
      });
    }
    itWritesNothing(() => app.databaseUrl);
  });

  describe('are refused by name on every route, in JSON', () => {
    const writes = V1_ROUTES.filter(({ method }) => method === 'POST');
    for (const [index, route] of writes.entries()) {
      it(route.name, async () => {
        const url = app.url + pathTo(route, own);
        const good = route.body?.(own, false);
        for (const [name, value] of ofToday(unknownClaims(route), index)) {
          const reply = await postJson(url, { ...good, [name]: value }, { key: app.secretKey });
          expectUnknown(reply, name, name);
        }
      });
    }
    itWritesNothing(() => app.databaseUrl);
  });

  describe('are refused in what is nested, too', () => {
    for (const [path, form, param] of [
      [
        '/v1/payment_methods',
        'type=card&card[token]=tok_visa&card[livemode]=true',
        'card[livemode]',
      ],
      ['/v1/payment_methods', 'type=card&card[token]=tok_visa&card[last4]=4242', 'card[last4]'],
      ['/v1/tokens', 'card[number]=4242&card[status]=ok', 'card[status]'],
      ['/v1/charges', 'amount=1&currency=eur&shipping[account]=a', 'shipping[account]'],
    ] as const) {
      it(`POST ${path} ${param}`, async () => {
        expectUnknown(await postForm(app.url + path, form, { key: app.secretKey }), param, path);
      });
    }
    itWritesNothing(() => app.databaseUrl);
  });

  describe('change nothing as headers', () => {
    it('that are ignored', async () => {
      for (const headers of [
        { 'paymount-account': other },
        { 'x-account': other },
        { account: other },
        { livemode: 'true' },
        { 'x-livemode': 'true' },
        { 'stripe-context': other },
      ]) {
        const url = `${app.url}/v1/charges/${own.charge}`;
        const reply = await ask(url, { key: app.secretKey, headers });
        expect(reply.json, reply.text).to.include({ id: own.charge, livemode: false });
      }
    });
    it('that are refused', async () => {
      const acting = { key: app.secretKey, headers: { 'stripe-account': other } };
      const reply = await ask(`${app.url}/v1/charges`, acting);
      expect([reply.status, reply.error['code']]).to.deep.equal([403, 'permission_denied']);
    });
    itWritesNothing(() => app.databaseUrl);
  });
});
