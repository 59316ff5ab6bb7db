import { expect } from 'chai';
import { type Counter, openCounter } from './counter.ts';

/** Bugs that other payment systems had; names and numbers are of their issue trackers. */
describe('bugs of peers: captures and refunds', () => {
  let counter: Counter;
  before(async () => {
    counter = await openCounter();
  });
  after(() => counter.app.close());
  afterEach(async () => {
    expect(await counter.audit()).to.deep.equal([]);
  });

  const errorCode = (answer: { readonly body: { readonly error?: { readonly code?: string } } }) =>
    answer.body.error?.code;

  it('double capture (medusajs/medusa #13301, #12674): a second capture moves nothing', async () => {
    const { bank, post, charge } = counter;
    const { id } = await charge({ capture: false });
    const both = await Promise.all([
      post(`/v1/charges/${id}/capture`),
      post(`/v1/charges/${id}/capture`),
    ]);
    expect(both.map(({ status }) => status).sort()).to.include(200);
    const third = await post(`/v1/charges/${id}/capture`, { amount: 1 });
    expect([third.status, errorCode(third)]).to.deep.equal([400, 'charge_already_captured']);
    expect(bank.asked('capture', id)).to.have.length(1);
    expect(await counter.listEvents(id)).to.deep.equal(['charge.captured']);
  });

  it('failed refund taken as done (vendure #3152): the money is back and no event says otherwise', async () => {
    const { post, get, charge } = counter;
    const { id } = await charge({ source: 'tok_refundRejected' });
    const refund = await post('/v1/refunds', { charge: id, amount: 4_000 });
    expect(refund.body.status).to.equal('pending');
    expect((await get(`/v1/charges/${id}`)).body.amount_refunded).to.equal(4_000);
    await counter.pass(3_000);
    const failed = await get(`/v1/refunds/${refund.body.id}`);
    expect(failed.body.status).to.equal('failed');
    expect(failed.body.failure_reason).to.be.a('string');
    const after = await get(`/v1/charges/${id}`);
    expect(after.body).to.include({ amount_refunded: 0, refunded: false });
    expect(await counter.listEvents(id)).to.deep.equal(['charge.succeeded']);
    // And the whole can still be refunded.
    const again = await post('/v1/refunds', { charge: id });
    expect([again.status, again.body.amount]).to.deep.equal([200, 10_000]);
  });

  it('refund of what was never paid (vendure #4013): refused, and the bank is not asked', async () => {
    const { bank, post, charge } = counter;
    const before = bank.calls.filter(({ kind }) => kind === 'refund').length;
    const declined = await post('/v1/charges', {
      amount: 500,
      currency: 'eur',
      source: 'tok_visa_chargeDeclined',
    });
    const held = await charge({ capture: false });
    const unknown = await charge({ source: 'tok_timeout_approved' });
    const canceled = await charge({ capture: false });
    await post(`/v1/charges/${canceled.id}/cancel`);
    const cases: readonly (readonly [string, object, string])[] = [
      [declined.body.error.charge, {}, 'charge_not_refundable'],
      [canceled.id, {}, 'charge_not_refundable'],
      [unknown.id, {}, 'charge_pending'],
      [held.id, { amount: 1 }, 'charge_not_captured'],
    ];
    for (const [id, more, code] of cases) {
      const answer = await post('/v1/refunds', { charge: id, ...more });
      expect([answer.status, errorCode(answer)], id).to.deep.equal([400, code]);
    }
    expect(bank.calls.filter(({ kind }) => kind === 'refund')).to.have.length(before);
  });

  it('always full (medusa PR 8603): a part is refunded when a part is asked for', async () => {
    const { bank, post, get, charge } = counter;
    const { id } = await charge();
    const refund = await post('/v1/refunds', { charge: id, amount: 1 });
    expect(refund.body.amount).to.equal(1);
    expect(bank.asked('refund', refund.body.id).map(({ amount }) => amount)).to.deep.equal([1]);
    expect((await get(`/v1/charges/${id}`)).body).to.include({
      amount_refunded: 1,
      refunded: false,
    });
    const rest = await post('/v1/refunds', { charge: id });
    expect(rest.body.amount).to.equal(9_999);
  });

  it('negative refund (hyperswitch PR 11491): refused before anything is written', async () => {
    const { bank, post, charge } = counter;
    const { id } = await charge();
    const calls = bank.calls.length;
    for (const amount of [-1, -10_000, 0]) {
      const answer = await post('/v1/refunds', { charge: id, amount });
      expect([answer.status, errorCode(answer)]).to.deep.equal([400, 'amount_too_small']);
    }
    expect(bank.calls).to.have.length(calls);
  });

  it('refund of more than is left, in parts (hyperswitch #13182): the sum decides', async () => {
    const { post, charge } = counter;
    const { id } = await charge();
    await post('/v1/refunds', { charge: id, amount: 6_000 }).expect(200);
    const more = await post('/v1/refunds', { charge: id, amount: 4_001 });
    expect([more.status, errorCode(more)]).to.deep.equal([400, 'refund_amount_exceeds_charge']);
    await post('/v1/refunds', { charge: id, amount: 4_000 }).expect(200);
    const none = await post('/v1/refunds', { charge: id, amount: 1 });
    expect([none.status, errorCode(none)]).to.deep.equal([400, 'charge_already_refunded']);
  });
});
