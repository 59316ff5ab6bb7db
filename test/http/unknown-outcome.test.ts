import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { query } from '../support/database.ts';
import { startReceiver } from '../support/receiver.ts';
import { type Counter, openCounter } from './counter.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** The bank acted, and nobody heard of it. */
describe('bugs of peers: outcomes that nobody knows', () => {
  let counter: Counter;
  before(async () => {
    counter = await openCounter();
  });
  after(() => counter.app.close());
  afterEach(async () => {
    expect(await counter.audit()).to.deep.equal([]);
  });

  it('new key after a timeout (medusa #16681, #16292): the bank sees one operation id', async () => {
    const { bank, post, pass } = counter;
    const sale = { amount: 700, currency: 'eur', source: 'tok_timeout_approved' };
    const key = randomUUID();
    const first = await post('/v1/charges', sale, key);
    expect([first.status, first.body.status]).to.deep.equal([200, 'pending']);
    const second = await post('/v1/charges', sale, key);
    expect(second.text).to.equal(first.text);
    await pass(MINUTE);
    const third = await post('/v1/charges', sale, key);
    expect(third.text).to.equal(first.text);
    const asked = bank.asked('authorize', first.body.id);
    expect(new Set(asked.map(({ operationId }) => operationId)).size).to.equal(1);
    expect(asked).to.have.length(1);
  });

  it('paid twice after an unknown outcome (killbill #1015, active_merchant #866)', async () => {
    const { bank, post, get, pass } = counter;
    const method = await post('/v1/payment_methods', {
      type: 'card',
      card: { token: 'tok_timeout_approved' },
    });
    const sale = { amount: 700, currency: 'eur', payment_method: method.body.id };
    const first = await post('/v1/charges', sale);
    expect(first.body.status).to.equal('pending');
    // A merchant who tries again with a new key is told so, instead of charging the card again.
    const again = await post('/v1/charges', sale, randomUUID());
    expect([again.status, again.body.error.code]).to.deep.equal([400, 'payment_method_unusable']);
    await pass(MINUTE);
    expect((await get(`/v1/charges/${first.body.id}`)).body.status).to.equal('succeeded');
    expect(bank.asked('authorize', first.body.id)).to.have.length(1);
  });

  it('ghost charge (hyperswitch #3675): what the bank declined in silence never becomes paid', async () => {
    const { get, charge, pass, listEvents } = counter;
    const { id } = await charge({ source: 'tok_timeout_declined' });
    await pass(MINUTE);
    const settled = await get(`/v1/charges/${id}`);
    expect(settled.body).to.include({ status: 'failed', paid: false });
    expect(await listEvents(id)).to.deep.equal(['charge.failed']);
    await pass(DAY);
    expect(await listEvents(id)).to.deep.equal(['charge.failed']);
  });

  it('stuck for ever (hyperswitch #1475, #1324): after the last look-up a person must look', async () => {
    const { app, bank, charge, pass, get } = counter;
    const { id } = await charge({ source: 'tok_unknown_forever' });
    for (let day = 0; day < 12; day += 1) await pass(DAY);
    const looked = bank.calls.filter(({ kind }) => kind === 'lookup').length;
    expect(looked).to.be.at.least(10);
    await pass(30 * DAY);
    expect(bank.calls.filter(({ kind }) => kind === 'lookup')).to.have.length(looked);
    expect(bank.asked('authorize', id)).to.have.length(1);
    expect((await get(`/v1/charges/${id}`)).body.status).to.equal('pending');
    const rows = await query<{ state: string }>(
      app.databaseUrl,
      'SELECT state FROM paymount.operations WHERE charge_id = $1',
      [id],
    );
    expect(rows).to.deep.equal([{ state: 'quarantined' }]);
    expect((await app.paymount.verify()).map(({ rule }) => rule)).to.deep.equal([
      'No operation is quarantined.',
    ]);
  });

  it('look-up without a processor reference (hyperswitch #11448): our own id is enough', async () => {
    const { bank, charge, pass, get } = counter;
    const { id } = await charge({ source: 'tok_timeout_approved' });
    const pending = await get(`/v1/charges/${id}`);
    expect(pending.body.processor.reference).to.equal(null);
    await pass(MINUTE);
    const [asked] = bank.asked('authorize', id);
    const lookups = bank.calls.filter(
      ({ kind, operationId }) => kind === 'lookup' && operationId === asked?.operationId,
    );
    expect(lookups).to.have.length(1);
    const settled = await get(`/v1/charges/${id}`);
    expect(settled.body.status).to.equal('succeeded');
    expect(settled.body.processor.reference).to.be.a('string');
  });

  it('event never sent (hyperswitch #3408): what the resolver settles is delivered', async () => {
    const { post, charge, pass } = counter;
    const receiver = await startReceiver();
    try {
      const endpoint = await post('/v1/webhook_endpoints', {
        url: receiver.url,
        enabled_events: ['charge.succeeded'],
      });
      const { id } = await charge({ source: 'tok_timeout_approved' });
      expect(receiver.requests).to.have.length(0);
      await pass(MINUTE);
      const [delivered] = await receiver.waitFor(1);
      const event = JSON.parse(String(delivered?.body)) as { data: { object: { id: string } } };
      expect(event.data.object.id).to.equal(id);
      await post(`/v1/webhook_endpoints/${endpoint.body.id}`, { disabled: true });
    } finally {
      await receiver.close();
    }
  });

  it('answer and look-up race (cashier-stripe #1759, #1678): the outcome is booked once', async () => {
    const { bank, post, get, pass, eventually, listEvents } = counter;
    const release = bank.hold();
    const sale = { amount: 700, currency: 'eur', source: 'tok_visa', metadata: { race: '1' } };
    const slow = post('/v1/charges', sale).then((answer) => answer);
    await eventually(
      () => bank.calls.at(-1)?.amount === 700 && bank.calls.at(-1)?.kind === 'authorize',
    );
    const id = String(bank.calls.at(-1)?.reference);
    // The resolver hears of it first.
    await pass(MINUTE);
    expect((await get(`/v1/charges/${id}`)).body.status).to.equal('succeeded');
    release();
    const answer = await slow;
    expect([answer.status, answer.body.status]).to.deep.equal([200, 'succeeded']);
    expect(await listEvents(id)).to.deep.equal(['charge.succeeded']);
  });

  it('late answer overwrites state (cashier-stripe #1760): a refunded charge stays refunded', async () => {
    const { bank, post, get, pass, eventually } = counter;
    const release = bank.hold();
    const slow = post('/v1/charges', { amount: 701, currency: 'eur', source: 'tok_visa' }).then(
      (answer) => answer,
    );
    await eventually(
      () => bank.calls.at(-1)?.amount === 701 && bank.calls.at(-1)?.kind === 'authorize',
    );
    const id = String(bank.calls.at(-1)?.reference);
    await pass(MINUTE);
    const refund = post('/v1/refunds', { charge: id }).then((answer) => answer);
    await eventually(() => bank.calls.at(-1)?.kind === 'refund');
    release();
    await Promise.all([slow, refund]);
    expect((await get(`/v1/charges/${id}`)).body).to.include({
      status: 'succeeded',
      refunded: true,
      amount_refunded: 701,
    });
  });

  it('one stuck payment starves an account (killbill #1555, #1889): others go on', async () => {
    const { bank, post, eventually } = counter;
    const release = bank.hold();
    const stuck = post('/v1/charges', { amount: 702, currency: 'eur', source: 'tok_visa' }).then(
      (answer) => answer,
    );
    await eventually(() => bank.calls.at(-1)?.amount === 702);
    const waiting = Array.from({ length: 20 }, (_, index) =>
      post('/v1/charges', { amount: 800 + index, currency: 'eur', source: 'tok_visa' }).then(
        (answer) => answer,
      ),
    );
    // Not one of them waits for another to be answered: all reach the bank.
    await eventually(
      () => bank.calls.filter(({ amount = 0 }) => amount >= 800 && amount < 820).length === 20,
    );
    const other = await counter.get('/v1/balance');
    expect(other.status).to.equal(200);
    release();
    for (const answer of await Promise.all([stuck, ...waiting])) {
      expect(answer.body.status).to.equal('succeeded');
    }
  });
});
