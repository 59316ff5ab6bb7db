import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, postForm, postJson, type Reply } from '../support/ask.ts';
import { connectTwo } from '../support/connect-platform.ts';
import { makeAccount, makeKey } from '../support/credentials.ts';
import { type DocumentedRoute, documentedRoutes } from '../support/documented-routes.ts';
import { formText } from '../support/form-text.ts';
import { type Belongings, makeBelongings } from '../support/owned-objects.ts';
import { pathTo, type V1Route } from '../support/route-row.ts';
import { V1_ROUTES } from '../support/route-table.ts';
import { tableContents } from '../support/table-contents.ts';

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

describe('fields that a caller claims', function () {
  this.timeout(30_000);
  let app: TestApp;
  let other: string;
  let own: Belongings;
  let documented: ReadonlyMap<string, DocumentedRoute>;
  let contents: Record<string, string>;

  before(async () => {
    app = await startApp();
    const { paymount, account, url, secretKey: key } = app;
    const { id: spareKey } = await makeKey(paymount, account);
    const applications = await connectTwo(paymount, account);
    own = await makeBelongings({ url, key, spareKey, worker: app.worker, applications });
    documented = await documentedRoutes(`${url}/v1/openapi.json`);
    other = await makeAccount(paymount, 'Another shop');
    await app.worker.drain();
    contents = await tableContents(app.databaseUrl);
  });
  after(() => app.close());

  function* unknownClaims({ name: route }: V1Route): Generator<[string, unknown]> {
    const taken = new Set(documented.get(route)?.parameters.map(({ name }) => name));
    for (const [name, value] of Object.entries(CLAIMS)) {
      if (!taken.has(name)) yield [name, value];
    }
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

  it('are refused by name on every route, in a query and in a form', async () => {
    for (const route of V1_ROUTES) {
      for (const [name, value] of unknownClaims(route)) {
        const text = typeof value === 'object' ? 'x' : String(value);
        expectUnknown(await send(route, `${name}=${text}`), name, `${route.name} ${name}`);
      }
    }
  });

  it('are refused by name on every route, in JSON', async () => {
    const writes = V1_ROUTES.filter(({ method }) => method === 'POST');
    for (const route of writes) {
      const url = app.url + pathTo(route, own);
      const good = route.body?.(own, false);
      for (const [name, value] of unknownClaims(route)) {
        const reply = await postJson(url, { ...good, [name]: value }, { key: app.secretKey });
        expectUnknown(reply, name, `${route.name} ${name}`);
      }
    }
  });

  it('are refused in what is nested, too', async () => {
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
      expectUnknown(await postForm(app.url + path, form, { key: app.secretKey }), param, path);
    }
  });

  it('change nothing as headers', async () => {
    for (const headers of [
      { 'paymount-account': other },
      { 'x-account': other },
      { account: other },
      { livemode: 'true' },
      { 'x-livemode': 'true' },
      { 'stripe-context': other },
    ]) {
      const reply = await ask(`${app.url}/v1/charges/${own.charge}`, {
        key: app.secretKey,
        headers,
      });
      expect(reply.json, reply.text).to.include({ id: own.charge, livemode: false });
    }
    const acting = { key: app.secretKey, headers: { 'stripe-account': other } };
    const reply = await ask(`${app.url}/v1/charges`, acting);
    expect([reply.status, reply.error['code']]).to.deep.equal([403, 'permission_denied']);
  });

  it('left everything as it was', async () => {
    expect(await tableContents(app.databaseUrl)).to.deep.equal(contents);
  });
});
