import { expect } from 'chai';
import request, { type Test } from 'supertest';
import { startApp, type TestApp } from '../support/app.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { query } from '../support/database.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

describe('charges and refunds', () => {
  let app: TestApp;
  let clock: FakeClock;

  before(async () => {
    clock = fakeClock();
    app = await startApp({ paymount: { clock, sandbox: { silenceMs: 20 } } });
  });
  after(() => app.close());

  const post = (path: string, body: object = {}): Test =>
    request(app.url).post(path).auth(app.secretKey, '').send(body);
  const get = (path: string): Test => request(app.url).get(path).auth(app.secretKey, '');

  const charge = async (body: object = {}) => {
    const sale = { amount: 10_000, currency: 'eur', source: 'tok_visa' };
    const { body: made } = await post('/v1/charges', { ...sale, ...body }).expect(200);
    return made;
  };

  /** The types of the events about a charge, oldest first. */
  const eventsOf = async (id: string): Promise<string[]> => {
    const { body } = await get(`/v1/events?object_id=${id}`).expect(200);
    return body.data.map(({ type }: { type: string }) => type).reverse();
  };

  /** The code and status of a refusal, and the parameter it names. */
  const refusal = async (call: Test) => {
    const { status, body } = await call;
    return [status, body.error?.code, body.error?.param].filter((each) => each !== undefined);
  };

  it('captures an authorized charge once, and never more than was authorized', async () => {
    const held = await charge({ capture: false });
    expect(held).to.include({ status: 'authorized', captured: false, paid: true });
    expect(await refusal(post(`/v1/charges/${held.id}/capture`, { amount: 10_001 }))).to.deep.equal(
      [400, 'capture_amount_exceeds_authorization', 'amount'],
    );
    const { body: captured } = await post(`/v1/charges/${held.id}/capture`).expect(200);
    expect(captured).to.include({ status: 'succeeded', amount_captured: 10_000 });
    expect(await refusal(post(`/v1/charges/${held.id}/capture`))).to.deep.equal([
      400,
      'charge_already_captured',
    ]);
    expect(await eventsOf(held.id)).to.deep.equal(['charge.captured']);
  });

  it('cancels an authorized charge, and nothing else', async () => {
    const held = await charge({ capture: false });
    const { body: canceled } = await post(`/v1/charges/${held.id}/cancel`).expect(200);
    expect(canceled).to.include({ status: 'canceled', captured: false });
    expect(await eventsOf(held.id)).to.deep.equal([]);
    const { body: lines } = await get(`/v1/balance_transactions?source=${held.id}`).expect(200);
    expect(lines.data).to.deep.equal([]);
    for (const id of [held.id, (await charge()).id]) {
      expect(await refusal(post(`/v1/charges/${id}/cancel`))).to.deep.equal([
        400,
        'status_transition_invalid',
      ]);
    }
  });

  it('answers a decline with 402, the reason, and the failed charge', async () => {
    const { status, body } = await post('/v1/charges', {
      amount: 500,
      currency: 'eur',
      source: 'tok_visa_chargeDeclinedInsufficientFunds',
    });
    expect(status).to.equal(402);
    expect(body.error).to.include({
      type: 'card_error',
      code: 'card_declined',
      decline_code: 'insufficient_funds',
      message: 'Your card has insufficient funds.',
    });
    const { body: failed } = await get(`/v1/charges/${body.error.charge}`).expect(200);
    expect(failed).to.include({ status: 'failed', failure_code: 'card_declined', paid: false });
    expect(failed.outcome).to.include({ type: 'issuer_declined', reason: 'insufficient_funds' });
    expect(await eventsOf(failed.id)).to.deep.equal(['charge.failed']);
  });

  it('keeps a charge of unknown outcome pending, and settles it by asking the processor', async () => {
    const approved = await charge({ source: 'tok_timeout_approved' });
    const declined = await charge({ source: 'tok_timeout_declined' });
    for (const pending of [approved, declined]) {
      expect(pending.status).to.equal('pending');
      expect(pending.outcome.type).to.equal('unknown');
      expect(await refusal(post('/v1/refunds', { charge: pending.id }))).to.deep.equal([
        400,
        'charge_pending',
        'charge',
      ]);
    }
    clock.advance(11_000);
    await app.worker.drain();
    expect((await get(`/v1/charges/${approved.id}`)).body.status).to.equal('succeeded');
    expect((await get(`/v1/charges/${declined.id}`)).body.status).to.equal('failed');
    expect(await eventsOf(approved.id)).to.deep.equal(['charge.succeeded']);
    expect(await eventsOf(declined.id)).to.deep.equal(['charge.failed']);
  });

  it('answers 502 and fails the charge when nothing was sent', async () => {
    const sale = { amount: 500, currency: 'eur', source: 'tok_not_sent' };
    const { status, body, headers } = await post('/v1/charges', sale);
    expect([status, body.error.code]).to.deep.equal([502, 'processor_error']);
    expect(headers['stripe-should-retry']).to.equal('true');
    expect((await get(`/v1/charges/${body.error.charge}`)).body.status).to.equal('failed');
  });

  it('quarantines an approval of another amount, and moves no money for it', async () => {
    const pending = await charge({ source: 'tok_amount_tampered' });
    expect(pending.status).to.equal('pending');
    expect(pending.outcome).to.include({ type: 'unknown', network_status: 'not_known_yet' });
    const { body } = await get(`/v1/balance_transactions?source=${pending.id}`).expect(200);
    expect(body.data).to.deep.equal([]);
  });

  it('expires an authorization after seven days, with charge.failed', async () => {
    const held = await charge({ capture: false });
    clock.advance(7 * DAY + MINUTE);
    await app.worker.drain();
    const { body: expired } = await get(`/v1/charges/${held.id}`);
    expect(expired).to.include({ status: 'failed', failure_code: 'charge_expired_for_capture' });
    expect(await refusal(post(`/v1/charges/${held.id}/capture`))).to.deep.equal([
      400,
      'charge_expired_for_capture',
    ]);
  });

  it('makes funds available two days after the capture', async () => {
    const before = (await get('/v1/balance')).body;
    const sum = (balance: { currency: string; amount: number }[]) =>
      balance.find(({ currency }) => currency === 'chf')?.amount ?? 0;
    expect(sum(before.available)).to.equal(0);
    const made = await charge({ amount: 700, currency: 'chf' });
    await post('/v1/refunds', { charge: made.id, amount: 300 }).expect(200);
    clock.advance(2 * DAY + MINUTE);
    await app.worker.drain();
    const after = (await get('/v1/balance')).body;
    expect([sum(after.pending), sum(after.available)]).to.deep.equal([0, 400]);
  });

  it('refunds in parts up to the whole, and then no more', async () => {
    const made = await charge();
    await post('/v1/refunds', { charge: made.id, amount: 4000 }).expect(200);
    expect(await refusal(post('/v1/refunds', { charge: made.id, amount: 6001 }))).to.deep.equal([
      400,
      'refund_amount_exceeds_charge',
      'amount',
    ]);
    await post('/v1/refunds', { charge: made.id }).expect(200);
    const { body: refunded } = await get(`/v1/charges/${made.id}`);
    expect(refunded).to.include({ refunded: true, amount_refunded: 10_000 });
    expect(await eventsOf(made.id)).to.deep.equal([
      'charge.succeeded',
      'charge.refunded',
      'charge.refunded',
    ]);
    expect(await refusal(post('/v1/refunds', { charge: made.id }))).to.deep.equal([
      400,
      'charge_already_refunded',
      'charge',
    ]);
  });

  it('releases an authorization by a full refund, and refuses a part of it', async () => {
    const held = await charge({ capture: false });
    expect(await refusal(post('/v1/refunds', { charge: held.id, amount: 1 }))).to.deep.equal([
      400,
      'charge_not_captured',
      'amount',
    ]);
    const { body: refund } = await post('/v1/refunds', { charge: held.id }).expect(200);
    expect(refund).to.include({ status: 'succeeded', balance_transaction: null });
    expect((await get(`/v1/charges/${held.id}`)).body.status).to.equal('canceled');
  });

  it('gives a refund back to charge and balance when the processor fails it later', async () => {
    const made = await charge({ source: 'tok_refundFail', currency: 'sek' });
    const { body: refund } = await post('/v1/refunds', { charge: made.id, amount: 2500 });
    expect(refund.status).to.equal('succeeded');
    clock.advance(MINUTE);
    await app.worker.drain();
    const { body: failed } = await get(`/v1/refunds/${refund.id}`);
    expect(failed).to.include({ status: 'failed', failure_reason: 'card_declined' });
    expect(failed.failure_balance_transaction).to.match(/^txn_/);
    expect((await get(`/v1/charges/${made.id}`)).body.amount_refunded).to.equal(0);
    const { pending } = (await get('/v1/balance').expect(200)).body;
    const inKronor = pending.find(({ currency }: { currency: string }) => currency === 'sek');
    expect(inKronor.amount).to.equal(10_000);
    expect(await eventsOf(made.id)).to.deep.equal(['charge.succeeded', 'charge.refunded']);
  });

  it('withdraws a refund that was not sent yet, and no other', async () => {
    const made = await charge({ source: 'tok_pendingRefund', currency: 'dkk' });
    const { body: refund } = await post('/v1/refunds', { charge: made.id, amount: 2500 });
    expect(await refusal(post(`/v1/refunds/${refund.id}/cancel`))).to.deep.equal([
      400,
      'status_transition_invalid',
    ]);
    // As a host's transaction leaves it whose process died right after the commit.
    await query(
      app.databaseUrl,
      `UPDATE paymount.operations SET state = 'created', next_lookup_at = '9999-12-31'
       WHERE subject_id = $1`,
      [refund.id],
    );
    const { body: canceled } = await post(`/v1/refunds/${refund.id}/cancel`).expect(200);
    expect(canceled.status).to.equal('canceled');
    expect(canceled.failure_balance_transaction).to.match(/^txn_/);
    expect((await get(`/v1/charges/${made.id}`)).body.amount_refunded).to.equal(0);
    expect(await refusal(post(`/v1/refunds/${refund.id}/cancel`))).to.deep.equal([
      400,
      'status_transition_invalid',
    ]);
    await post('/v1/refunds', { charge: made.id }).expect(200);
  });

  it('serves one charge with an unattached payment method', async () => {
    const year = new Date().getFullYear() + 2;
    const card = { number: '5555555555554444', exp_month: 1, exp_year: year, cvc: '123' };
    const { body: method } = await post('/v1/payment_methods', { type: 'card', card }).expect(200);
    await charge({ source: undefined, payment_method: method.id });
    expect(
      await refusal(post('/v1/charges', { amount: 1, currency: 'eur', payment_method: method.id })),
    ).to.deep.equal([400, 'payment_method_unusable', 'payment_method']);
  });

  it('names the field of a card that is refused', async () => {
    const year = new Date().getFullYear() + 2;
    const valid = { number: '5555555555554444', exp_month: 1, exp_year: year, cvc: '123' };
    for (const [code, param, field] of [
      ['invalid_expiry_year', 'card[exp_year]', { exp_year: 2019 }],
      ['invalid_cvc', 'card[cvc]', { cvc: '1234' }],
      ['incorrect_number', 'card[number]', { number: '5555555555554445' }],
    ] as const) {
      const card = { ...valid, ...field };
      const { body } = await post('/v1/payment_methods', { type: 'card', card });
      expect([body.error.code, body.error.param]).to.deep.equal([code, param]);
    }
  });

  it('filters the list by status and creation', async () => {
    const marked = await charge({ amount: 31, currency: 'nok' });
    const { body } = await get(
      `/v1/charges?status=succeeded&created[gte]=${marked.created}&limit=100`,
    ).expect(200);
    expect(body.data.map((each: { id: string }) => each.id)).to.include(marked.id);
    expect(new Set(body.data.map((each: { status: string }) => each.status))).to.deep.equal(
      new Set(['succeeded']),
    );
    const { body: none } = await get('/v1/charges?created[lt]=1000000000').expect(200);
    expect(none).to.deep.equal({ object: 'list', url: '/v1/charges', has_more: false, data: [] });
  });

  it('expands a whole page at once: methods, refunds with their charges, transactions', async () => {
    const [first, second] = [await charge({ amount: 41 }), await charge({ amount: 42 })];
    const { body: refund } = await post('/v1/refunds', { charge: first.id, amount: 7 }).expect(200);
    const paths = ['payment_method', 'balance_transaction.source', 'refunds.data.charge'];
    const expand = paths.map((path) => `expand[]=data.${path}`).join('&');
    const { body } = await get(`/v1/charges?limit=2&${expand}`).expect(200);
    const [newer, older] = body.data;
    expect([newer.id, older.id]).to.deep.equal([second.id, first.id]);
    expect(newer.payment_method).to.include({
      id: second.payment_method,
      object: 'payment_method',
    });
    expect(newer.balance_transaction.source).to.include({ id: second.id, object: 'charge' });
    expect(newer.refunds.data).to.deep.equal([]);
    expect(older.refunds).to.include({ object: 'list', has_more: false });
    expect(older.refunds.data[0].id).to.equal(refund.id);
    expect(older.refunds.data[0].charge).to.include({ id: first.id, amount_refunded: 7 });
  });

  it('leaves data that agree, except for the operation whose approval was changed by hand', async () => {
    const found = await app.paymount.verify();
    expect(found.map(({ rule, expected, found: is }) => [rule, expected, is])).to.deep.equal([
      ['No operation is quarantined.', 'settled by a person', 'quarantined'],
    ]);
  });
});
