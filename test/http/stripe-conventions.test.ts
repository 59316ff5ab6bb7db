import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, postForm, postJson, type Reply } from '../support/ask.ts';

const SALE = 'amount=4200&currency=eur&source=tok_visa';
/** One of four bytes in UTF-8, and two of JavaScript's units. */
const WIDE = '😀';

describe('What the SDKs of Stripe send', () => {
  let app: TestApp;

  before(async () => {
    app = await startApp();
  });
  after(() => app.close());

  const get = (path: string): Promise<Reply> => ask(`${app.url}/v1${path}`, { key: app.secretKey });
  const form = (path: string, body: string): Promise<Reply> =>
    postForm(`${app.url}/v1${path}`, body, { key: app.secretKey });
  const json = (path: string, body: string | object): Promise<Reply> =>
    postJson(`${app.url}/v1${path}`, body, { key: app.secretKey });

  it('may be True and False in a form', async () => {
    expect((await form('/charges', `${SALE}&capture=False`)).json['status']).to.equal('authorized');
    expect((await form('/charges', `${SALE}&capture=True`)).json['status']).to.equal('succeeded');
    const { error } = await form('/charges', `${SALE}&capture=TRUE`);
    expect(error).to.include({ code: 'parameter_invalid', param: 'capture' });
  });

  it('may be metadata at its limits, in a form or in JSON, however it is escaped', async () => {
    const entries = Array.from({ length: 50 }, (_, index) => {
      const key = `${String(index).padStart(2, '0')}${WIDE.repeat(38)}`;
      return [key, WIDE.repeat(500)] as const;
    });
    const fields = entries.map(
      ([key, value]) => `metadata%5B${encodeURIComponent(key)}%5D=${encodeURIComponent(value)}`,
    );
    const sent = await form('/charges', [SALE, ...fields].join('&'));
    expect(sent.status, sent.text.slice(0, 500)).to.equal(200);
    expect(sent.json['metadata']).to.deep.equal(Object.fromEntries(entries));
    const text = JSON.stringify({ metadata: Object.fromEntries(entries) });
    const escaped = text.replace(
      /[^\0-\x7f]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    for (const body of [text, escaped]) {
      const updated = await json(`/charges/${sent.json['id']}`, body);
      expect(updated.status, updated.text.slice(0, 500)).to.equal(200);
    }
  });

  it('may expand a field that is null', async () => {
    const { id } = (await form('/charges', SALE)).json;
    const paths = ['customer', 'invoice.customer', 'payment_method.customer', 'dispute'];
    const query = paths.map((path) => `expand[]=${path}`).join('&');
    const { status, json: charge } = await get(`/charges/${id}?${query}`);
    expect(status).to.equal(200);
    expect(charge).to.include({ customer: null, invoice: null, dispute: null });
    expect(charge['payment_method']).to.include({ object: 'payment_method', customer: null });
    const method = (charge['payment_method'] as { id: string }).id;
    expect((await get(`/payment_methods/${method}?expand[]=customer`)).status).to.equal(200);
    const held = (await form('/charges', `${SALE}&capture=false`)).json;
    const still = await get(`/charges/${held['id']}?expand[]=balance_transaction`);
    expect(still.json['balance_transaction']).to.equal(null);
    const { error } = await get(`/charges/${id}?expand[]=costumer`);
    expect(error).to.include({ code: 'expand_invalid', param: 'expand' });
  });

  it('may be a year of two digits', async () => {
    const card = 'card[number]=4242424242424242&card[exp_month]=12&card[cvc]=123';
    const token = await form('/tokens', `${card}&card[exp_year]=44`);
    expect(token.json['card']).to.include({ exp_month: 12, exp_year: 2044 });
    for (const year of [144, 1999, 2101]) {
      const { error } = await form('/tokens', `${card}&card[exp_year]=${year}`);
      expect(error, String(year)).to.include({
        code: 'invalid_expiry_year',
        message: 'An expiry year has two or four digits.',
      });
    }
  });

  it('may be a month or a year with a leading zero in a form, and no amount', async () => {
    const card = 'card[number]=4242424242424242&card[cvc]=123';
    const token = await form('/tokens', `${card}&card[exp_month]=08&card[exp_year]=2044`);
    expect(token.json['card'], token.text).to.include({ exp_month: 8, exp_year: 2044 });
    const method = await form('/payment_methods', 'type=card&card[token]=tok_visa');
    const changed = await form(
      `/payment_methods/${method.json['id']}`,
      'card[exp_month]=01&card[exp_year]=49',
    );
    expect(changed.json['card'], changed.text).to.include({ exp_month: 1, exp_year: 2049 });
    for (const month of ['00', '-1']) {
      const none = await form('/tokens', `${card}&card[exp_month]=${month}&card[exp_year]=2044`);
      expect(none.error).to.include({ code: 'invalid_expiry_month', param: 'card[exp_month]' });
    }
    for (const month of ['008', '0x8', '-08', '+8', '']) {
      const refused = await form('/tokens', `${card}&card[exp_month]=${month}&card[exp_year]=2044`);
      expect(refused.status, month).to.equal(400);
    }
    const sale = await form('/charges', 'amount=08&currency=eur&source=tok_visa');
    expect(sale.error).to.include({ code: 'parameter_invalid_integer', param: 'amount' });
  });

  it('may be a currency in upper case, which is answered in lower case', async () => {
    const { json: charge } = await form('/charges', 'amount=100&currency=EUR&source=tok_visa');
    expect(charge['currency']).to.equal('eur');
    const lines = await get('/balance_transactions?currency=EUR');
    expect((lines.json['data'] as unknown[]).length).to.be.greaterThan(0);
    const refused = await form('/charges', 'amount=100&currency=EURO&source=tok_visa');
    expect(refused.error).to.include({ code: 'invalid_currency', param: 'currency' });
    const type = 'charge.succeeded';
    const event = await json('/test_helpers/events', { type, overrides: { currency: 'USD' } });
    expect((event.json['data'] as { object: object }).object).to.include({ currency: 'usd' });
  });

  it('may ask for the refunds of a charge below it', async () => {
    const { id } = (await form('/charges', SALE)).json;
    const path = `/charges/${id}/refunds`;
    const refund = (await form(path, 'amount=100&metadata[a]=1')).json;
    expect(refund).to.deep.include({
      object: 'refund',
      charge: id,
      amount: 100,
      metadata: { a: '1' },
    });
    const other = (await form('/refunds', `charge=${id}&amount=200`)).json;
    const listed = await get(`${path}?limit=1&expand[]=data.charge`);
    expect(listed.json).to.include({ object: 'list', url: `/v1${path}`, has_more: true });
    const [newest] = listed.json['data'] as { id: string; charge: object }[];
    expect(newest?.id).to.equal(other['id']);
    expect(newest?.charge).to.include({ id, amount_refunded: 300 });
    const next = await get(`${path}?starting_after=${other['id']}`);
    expect((next.json['data'] as { id: string }[]).map((each) => each.id)).to.deep.equal([
      refund['id'],
    ]);
    expect((await get(`${path}/${refund['id']}`)).json).to.deep.equal(refund);
    const updated = await form(`${path}/${refund['id']}`, 'metadata[a]=2');
    expect(updated.json['metadata']).to.deep.equal({ a: '2' });
    const expanded = await get(`/charges/${id}?expand[]=refunds`);
    expect(expanded.json['refunds']).to.include({ object: 'list', url: `/v1${path}` });
  });

  it('finds no refund below another charge, and none below a charge that is not there', async () => {
    const [one, two] = [(await form('/charges', SALE)).json, (await form('/charges', SALE)).json];
    const refund = (await form(`/charges/${one['id']}/refunds`, '')).json;
    const missing = [
      await get(`/charges/${two['id']}/refunds/${refund['id']}`),
      await form(`/charges/${two['id']}/refunds/${refund['id']}`, 'metadata[a]=1'),
      await get('/charges/ch_unknown/refunds'),
      await form('/charges/ch_unknown/refunds', ''),
      await form('/charges/ch_unknown/refund', ''),
    ];
    expect(missing.map(({ status, error }) => [status, error['code']])).to.deep.equal(
      missing.map(() => [404, 'resource_missing']),
    );
    const foreign = await form(`/charges/${one['id']}/refunds`, `charge=${two['id']}`);
    expect(foreign.error).to.include({ code: 'parameter_unknown', param: 'charge' });
  });

  it('may refund a charge and get the charge, once under one key', async () => {
    const { id } = (await form('/charges', SALE)).json;
    const headers = { 'idempotency-key': randomUUID() };
    const refund = (): Promise<Reply> => {
      const body = 'amount=100&expand[]=refunds';
      return postForm(`${app.url}/v1/charges/${id}/refund`, body, { key: app.secretKey, headers });
    };
    const first = await refund();
    expect(first.json).to.include({ id, object: 'charge', amount_refunded: 100, refunded: false });
    expect((first.json['refunds'] as { data: object[] }).data).to.have.length(1);
    await form(`/charges/${id}/refunds`, 'amount=50');
    const again = await refund();
    expect(again.text).to.equal(first.text);
    expect(again.headers['idempotent-replayed']).to.equal('true');
    const rest = await form(`/charges/${id}/refund`, '');
    expect(rest.json).to.include({ id, amount_refunded: 4200, refunded: true });
    const none = await form(`/charges/${id}/refund`, '');
    expect(none.error['code']).to.equal('charge_already_refunded');
  });

  it('gets the instruction not to retry a charge that failed for good, with the first response too', async () => {
    const sale = 'amount=500&currency=eur&source=tok_not_sent';
    const headers = { 'idempotency-key': randomUUID() };
    const send = (): Promise<Reply> =>
      postForm(`${app.url}/v1/charges`, sale, { key: app.secretKey, headers });
    const first = await send();
    expect(first.status).to.equal(502);
    expect(first.headers['stripe-should-retry']).to.equal('false');
    expect(first.headers).not.to.have.property('idempotent-replayed');
    const again = await send();
    expect(again.text).to.equal(first.text);
    expect(again.headers).to.include({
      'stripe-should-retry': 'false',
      'idempotent-replayed': 'true',
    });
    const unkeyed = await form('/charges', sale);
    expect([unkeyed.status, unkeyed.headers['stripe-should-retry']]).to.deep.equal([502, 'true']);
  });

  it('gets an error that names the filters of a list, where Stripe has a search', async () => {
    const cases: Record<string, string> = {
      '/charges/search?query=x':
        'There is no route /v1/charges/search. There is no search; the list GET /v1/charges filters by created, status, customer, test_clock.',
      '/refunds/search':
        'There is no route /v1/refunds/search. There is no search; the list GET /v1/refunds filters by charge, created, test_clock.',
      '/webhook_endpoints/search':
        'There is no route /v1/webhook_endpoints/search. There is no search; the list GET /v1/webhook_endpoints returns all of them.',
      '/payment_methods/search':
        'There is no route /v1/payment_methods/search. There is no search; the list GET /v1/payment_methods filters by created, type, customer.',
      '/customers/search':
        'There is no route /v1/customers/search. There is no search; the list GET /v1/customers filters by created, email, test_clock.',
    };
    for (const [path, message] of Object.entries(cases)) {
      const { status, error } = await get(path);
      expect({ status, code: error['code'], message: error['message'] }).to.deep.equal({
        status: 404,
        code: 'route_missing',
        message,
      });
    }
  });
});
