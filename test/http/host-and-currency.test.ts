import { expect } from 'chai';
import express from 'express';
import createKnex, { type Knex } from 'knex';
import { receiver } from 'paymount/receiver';
import request from 'supertest';
import { startReceiver } from '../support/receiver.ts';
import { type Counter, openCounter } from './counter.ts';

describe('bugs of peers: hosts and currencies', () => {
  let counter: Counter;
  let knex: Knex;
  before(async () => {
    // The order that breaks most integrations: parsers first.
    counter = await openCounter((host, paymount) => {
      host.use(express.json(), express.urlencoded({ extended: true }));
      host.use(paymount.router({ environment: 'test' }));
    });
    knex = createKnex({ client: 'pg', connection: counter.app.databaseUrl });
  });
  after(async () => {
    await knex.destroy();
    await counter.app.close();
  });
  afterEach(async () => {
    expect(await counter.audit()).to.deep.equal([]);
  });

  it('call in a rolled-back transaction (vendure #3680, saleor #18196): the bank is never asked', async () => {
    const { app, bank, pass } = counter;
    const calls = bank.calls.length;
    let id = '';
    const order = knex.transaction(async (trx) => {
      const input = { amount: 900, currency: 'eur', payment_method: 'pm_card_visa' };
      ({ id } = await app.paymount.using(trx).charges.create(app.acting, input));
      throw new Error('out of stock');
    });
    await order.catch(() => undefined);
    await pass(60_000);
    expect(bank.calls).to.have.length(calls);
    expect((await counter.get(`/v1/charges/${id}`)).status).to.equal(404);
    expect(await counter.listEvents(id)).to.deep.equal([]);
  });

  it('zero-decimal times 100 (Paymenter #1258, opencollective #4297, WooCommerce PR 2723)', async () => {
    const { bank, charge, get, post } = counter;
    for (const [currency, amount] of [
      ['jpy', 500],
      ['krw', 1_000],
      ['isk', 99],
      ['bhd', 1_234],
      ['eur', 1],
    ] as const) {
      const made = await charge({ amount, currency });
      expect(made).to.include({ amount, currency, amount_captured: amount });
      const [asked] = bank.asked('authorize', made.id);
      expect([asked?.amount, asked?.currency]).to.deep.equal([amount, currency]);
      const line = await get(`/v1/balance_transactions/${made.balance_transaction}`);
      expect(line.body).to.include({ amount, net: amount, currency });
      const refund = await post('/v1/refunds', { charge: made.id });
      expect(refund.body.amount).to.equal(amount);
    }
    const { body: balance } = await get('/v1/balance');
    const held = [...balance.pending, ...balance.available] as { amount: number }[];
    expect(held.map(({ amount }) => amount).every((amount) => amount === 0)).to.equal(true);
  });

  it('body parsers before the API (stripe-node #341, #331): a form and JSON mean the same', async () => {
    const { app } = counter;
    const fields = { amount: '450', currency: 'eur', source: 'tok_visa', 'metadata[a]': 'b' };
    const form = await request(app.url)
      .post('/v1/charges')
      .auth(app.secretKey, '')
      .type('form')
      .send(fields);
    expect([form.status, form.body.amount, form.body.metadata]).to.deep.equal([
      200,
      450,
      { a: 'b' },
    ]);
  });

  it('body parsers before the receiver (stripe-node #734, #1254, better-auth PR 5206): it says so', async () => {
    const { app, post, charge } = counter;
    const shop = await startReceiver();
    const endpoint = await post('/v1/webhook_endpoints', {
      url: shop.url,
      enabled_events: ['charge.succeeded'],
    });
    await charge();
    await app.worker.drain();
    const [delivered] = await shop.waitFor(1);
    await post(`/v1/webhook_endpoints/${endpoint.body.id}`, { disabled: true });
    await shop.close();
    if (delivered === undefined) throw new Error('Nothing was delivered.');
    const seen: string[] = [];
    const handler = receiver({
      secret: String(endpoint.body.secret),
      onEvent: (event) => void seen.push(event.type),
    });
    const again = (host: express.Express) =>
      request(host)
        .post('/hook')
        .set('Content-Type', 'application/json; charset=utf-8')
        .set('Service-Signature', String(delivered.headers['service-signature']))
        .send(delivered.body.toString());
    const wrong = await again(express().use(express.json()).post('/hook', handler));
    expect([wrong.status, wrong.body.error.code]).to.deep.equal([400, 'body_not_raw']);
    expect(seen).to.deep.equal([]);
    const right = await again(express().post('/hook', handler).use(express.json()));
    expect([right.status, seen]).to.deep.equal([200, ['charge.succeeded']]);
  });
});
