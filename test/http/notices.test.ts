import { expect } from 'chai';
import type { HookPayload } from 'paymount';
import { query } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { type NoticeSetup, notice, startNoticeSetup } from '../support/notifying-bank.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const SALE = { amount: 10_000, currency: 'eur', source: 'tok_visa' };
const SETTLED = { kind: 'charge.settled', data: { amount: 10_000, currency: 'eur' } };
const REFUND_FAILED = {
  kind: 'refund.failed',
  data: { code: 'expired_card', message: 'The card was closed.' },
};

type Json = Readonly<Record<string, unknown>>;

describe('Notices of a processor', () => {
  let setup: NoticeSetup;
  let hook: (settled: HookPayload) => Promise<void> = async () => undefined;

  before(async () => {
    setup = await startNoticeSetup({ hook: (_, settled) => hook(settled) });
  });
  after(() => setup.close());
  afterEach(async () => {
    hook = async () => undefined;
    setup.bank.reading = undefined;
    setup.forget();
    expect(await setup.paymount.verify()).to.deep.equal([]);
  });

  const operationOf = (subject: string): string =>
    setup.bank.calls.find(({ kind, reference }) => kind !== 'lookup' && reference === subject)
      ?.operationId ?? '';
  const charge = async (id: string): Promise<Json> => (await setup.get(`/v1/charges/${id}`)).body;
  const refund = async (id: string): Promise<Json> => (await setup.get(`/v1/refunds/${id}`)).body;
  const eventsOf = async (id: string): Promise<readonly string[]> => {
    const { body } = await setup.get('/v1/events?limit=100').expect(200);
    return body.data
      .filter((event: { data: { object: { id: string } } }) => event.data.object.id === id)
      .map((event: { type: string }) => event.type);
  };
  const sale = async (source = 'tok_visa'): Promise<{ id: string; reference: string }> => {
    const { body } = await setup.post('/v1/charges', { ...SALE, source }).expect(200);
    return { id: body.id, reference: body.processor.reference };
  };
  /** A charge that the bank executed and did not answer. */
  const unanswered = async (
    source = 'tok_timeout_approved',
  ): Promise<{ id: string; operationId: string }> => {
    const { id } = await sale(source);
    expect((await charge(id))['status']).to.equal('pending');
    return { id, operationId: operationOf(id) };
  };
  const refunded = async (): Promise<{ id: string; charge: string }> => {
    const { id } = await sale();
    const { body } = await setup.post('/v1/refunds', { charge: id, amount: 4_000 }).expect(200);
    return { id: body.id, charge: id };
  };

  it('settle a charge whose call had no answer, without a look-up', async () => {
    const { id, operationId } = await unanswered();
    const asked = setup.bank.calls.length;
    await setup
      .send([notice({ ...SETTLED, operationId, processorReference: 'bank_ref' })])
      .expect(200, { received: 1, recorded: 1 });
    const settled = await eventually(
      () => charge(id),
      ({ status }) => status === 'succeeded',
    );
    expect(settled).to.deep.include({ amount_captured: 10_000, paid: true });
    expect(settled['processor']).to.deep.include({ reference: 'bank_ref' });
    expect(await eventsOf(id)).to.deep.equal(['charge.succeeded']);
    await setup.pass(DAY);
    expect(setup.bank.calls.slice(asked)).to.deep.equal([]);
  });

  it('fail a charge whose call had no answer', async () => {
    const { id, operationId } = await unanswered('tok_timeout_declined');
    const data = { code: 'insufficient_funds', message: 'Not enough money.' };
    await setup.deliver({ kind: 'charge.failed', operationId, data });
    expect(await charge(id)).to.deep.include({
      status: 'failed',
      failure_code: 'insufficient_funds',
    });
    expect(await eventsOf(id)).to.deep.equal(['charge.failed']);
  });

  it('are applied once, however often and at once they are sent', async () => {
    const { id, operationId } = await unanswered();
    const sent = notice({ ...SETTLED, operationId, processorReference: 'bank_ref' });
    const replies = await Promise.all(Array.from({ length: 50 }, () => setup.send([sent])));
    expect(replies.map(({ status }) => status)).to.deep.equal(Array(50).fill(200));
    const recorded = replies.map(({ body }) => body.recorded as number);
    expect(recorded.reduce((sum, one) => sum + one, 0)).to.equal(1);
    await eventually(
      () => charge(id),
      ({ status }) => status === 'succeeded',
    );
    expect(await eventsOf(id)).to.deep.equal(['charge.succeeded']);
  });

  it('change nothing after the answer of the call, or after a look-up', async () => {
    const { id, reference } = await sale();
    const { id: looked, operationId } = await unanswered();
    await setup.pass(MINUTE);
    expect((await charge(looked))['status']).to.equal('succeeded');
    await setup.deliver(
      { ...SETTLED, processorReference: reference },
      { ...SETTLED, operationId, processorReference: 'other' },
    );
    expect(await eventsOf(id)).to.deep.equal(['charge.succeeded']);
    expect(await eventsOf(looked)).to.deep.equal(['charge.succeeded']);
    expect(setup.mails).to.deep.equal([]);
  });

  it('that name an operation of another kind wait for a person at once', async () => {
    const { id } = await sale();
    const operationId = operationOf(id);
    const data = { code: 'expired_card', message: 'The card was closed.' };
    await setup.deliver({ kind: 'refund.failed', operationId, data });
    expect(setup.errors.map(({ facts }) => facts['reason'])).to.deep.equal([
      `Operation ${operationId} is of kind authorize; a notice of kind refund.failed cannot be about it.`,
    ]);
  });

  it('that contradict the answer of the call wait for a person, and book nothing', async () => {
    const { id, reference } = await sale();
    const before = (await setup.get('/v1/balance')).body;
    const data = { amount: 9_900, currency: 'eur' };
    const failed = { code: 'card_declined', message: 'No.' };
    await setup.deliver(
      { ...SETTLED, processorReference: reference, data },
      { kind: 'charge.failed', processorReference: reference, data: failed },
    );
    expect((await charge(id))['status']).to.equal('succeeded');
    expect((await setup.get('/v1/balance')).body).to.deep.equal(before);
    expect(setup.mails.map(({ subject }) => subject)).to.have.members([
      'A test notice of watched waits for you: charge.settled',
      'A test notice of watched waits for you: charge.failed',
    ]);
    expect(setup.mails.map(({ text }) => text).join()).to.include(
      `It reports 99.00 EUR; Operation ${operationOf(id)} (authorize) is for 100.00 EUR.`,
    );
  });

  it('with another amount leave an open charge to its look-up', async () => {
    const { id, operationId } = await unanswered();
    const data = { amount: 1, currency: 'eur' };
    await setup.deliver({ ...SETTLED, operationId, processorReference: 'bank_ref', data });
    await setup.pass(MINUTE);
    expect(await charge(id)).to.deep.include({ status: 'succeeded', amount_captured: 10_000 });
    expect(await eventsOf(id)).to.deep.equal(['charge.succeeded']);
  });

  it('of a capture, by the reference of its authorization, wait for the answer', async () => {
    const { body } = await setup.post('/v1/charges', { ...SALE, capture: false }).expect(200);
    const release = setup.bank.hold();
    const capturing = setup.post(`/v1/charges/${body.id}/capture`).then((reply) => reply);
    await eventually(() => setup.bank.asked('capture', body.id).length === 1);
    await setup.deliver({ ...SETTLED, processorReference: body.processor.reference });
    expect((await charge(body.id))['status']).to.equal('authorized');
    release();
    expect((await capturing).body).to.deep.include({ id: body.id, status: 'succeeded' });
    await setup.pass(11 * SECOND);
    expect(await eventsOf(body.id)).to.deep.equal(['charge.captured']);
    expect(setup.mails).to.deep.equal([]);
  });

  it('return a refund that had succeeded: the money is back on the charge and the balance', async () => {
    const { id, charge: chargeId } = await refunded();
    const settled: HookPayload[] = [];
    hook = async (payload) => void settled.push(payload);
    await setup.deliver({ ...REFUND_FAILED, operationId: operationOf(id) });
    expect(await refund(id)).to.deep.include({
      status: 'failed',
      failure_reason: 'expired_card',
    });
    expect((await refund(id))['failure_balance_transaction']).to.match(/^txn_/);
    expect(await charge(chargeId)).to.deep.include({ amount_refunded: 0, refunded: false });
    expect(settled).to.have.length(1);
    expect(settled[0]).to.have.nested.property('refund.status', 'failed');
    await setup.post('/v1/refunds', { charge: chargeId }).expect(200);
  });

  it('return a refund once, in whatever order the bank reports it', async () => {
    const { id, charge: chargeId } = await refunded();
    const operationId = operationOf(id);
    const earlier = new Date(Date.now() - HOUR).toISOString();
    const data = { amount: 4_000, currency: 'eur' };
    await setup.deliver({ ...REFUND_FAILED, operationId });
    await setup.deliver(
      { kind: 'refund.settled', operationId, processorReference: 'r', occurredAt: earlier, data },
      { ...REFUND_FAILED, operationId },
    );
    expect(await refund(id)).to.deep.include({ status: 'failed' });
    expect((await charge(chargeId))['amount_refunded']).to.equal(0);
    expect(setup.mails).to.deep.equal([]);
  });

  it('wait for a reference that is not known yet', async () => {
    const data = { amount: 10_000, currency: 'eur' };
    const sent = notice({ kind: 'charge.settled', processorReference: 'sandbox_soon', data });
    await setup.send([sent]).expect(200);
    await setup.pass(31 * SECOND);
    const { id, operationId } = await unanswered();
    // The bank tells it by the name that it reported.
    setup.bank.found = {
      outcome: 'pending',
      processorReference: 'sandbox_soon',
      expectedBy: new Date(setup.clock.now().getTime() + DAY).toISOString(),
    };
    await setup.pass(50 * SECOND);
    setup.bank.found = undefined;
    await setup.pass(6 * MINUTE);
    expect((await charge(id))['status']).to.equal('succeeded');
    expect(operationId).to.match(/^op_/);
    expect(setup.mails).to.deep.equal([]);
  });

  it('renew the saved cards of a token, and nothing else', async () => {
    const { body: customer } = await setup
      .post('/v1/customers', { payment_method: 'pm_card_amex' })
      .expect(200);
    const read = async (path: string) => (await setup.get(path).expect(200)).body;
    const path = `/v1/customers/${customer.id}/payment_methods`;
    const [{ id }] = (await read(path)).data;
    const { body: paid } = await setup
      .post('/v1/charges', { amount: 500, currency: 'eur', payment_method: id })
      .expect(200);
    const select = 'SELECT processor_token AS token FROM paymount.payment_methods WHERE id = $1';
    const [row] = await query<{ token: string }>(setup.databaseUrl, select, [id]);
    const update = (data: Json) =>
      setup.deliver({ kind: 'account_update', data: { processorToken: row?.token, ...data } });
    await update({ expMonth: 3, expYear: 2051, last4: '1881' });
    const renewed = { exp_month: 3, exp_year: 2051, last4: '1881', brand: 'amex' };
    expect((await read(`${path}/${id}`)).card).to.include(renewed);
    const charged = (await read(`/v1/charges/${paid.id}`)).payment_method_details.card;
    expect([charged.last4, charged.exp_year]).to.not.deep.equal(['1881', 2051]);
    await update({ expYear: 2052 });
    expect((await read(`${path}/${id}`)).card).to.include({ ...renewed, exp_year: 2052 });
    await setup.post(`/v1/payment_methods/${id}/detach`, {}).expect(200);
    await update({ expYear: 2053 });
    expect((await read(`/v1/payment_methods/${id}`)).card).to.include({ exp_year: 2052 });
    expect(setup.mails).to.deep.equal([]);
  });

  it('renew a card wherever it is saved, however often', async () => {
    const saved = 101;
    for (let times = 0; times < saved; times += 1) {
      await setup.post('/v1/customers', { payment_method: 'pm_card_unionpay' }).expect(200);
    }
    const count = (where: string) =>
      query<{ count: string; token: string }>(
        setup.databaseUrl,
        `SELECT count(*), min(processor_token) AS token FROM paymount.payment_methods
          WHERE card ->> 'brand' = 'unionpay' AND ${where}`,
      );
    const [row] = await count('customer_id IS NOT NULL');
    expect(row?.count).to.equal(String(saved));
    const data = { processorToken: row?.token, expYear: 2070 };
    await setup.deliver({ kind: 'account_update', data });
    const [renewed] = await count(`card ->> 'expYear' = '2070'`);
    expect(renewed?.count).to.equal(String(saved));
  });

  it('renew no card with an update that is older than the newest', async () => {
    const { body: customer } = await setup
      .post('/v1/customers', { payment_method: 'pm_card_jcb' })
      .expect(200);
    const path = `/v1/customers/${customer.id}/payment_methods`;
    const read = async () => (await setup.get(path).expect(200)).body.data[0];
    const select = 'SELECT processor_token AS token FROM paymount.payment_methods WHERE id = $1';
    const [row] = await query<{ token: string }>(setup.databaseUrl, select, [(await read()).id]);
    const update = (occurredAt: string, expYear: number) =>
      setup.deliver({
        kind: 'account_update',
        occurredAt,
        data: { processorToken: row?.token, expYear },
      });
    await update('2026-10-20T00:00:00Z', 2060);
    await update('2026-10-01T00:00:00Z', 2055);
    expect((await read()).card.exp_year).to.equal(2060);
    await update('2026-10-21T00:00:00Z', 2061);
    expect((await read()).card.exp_year).to.equal(2061);
    expect(setup.mails).to.deep.equal([]);
  });

  it('are offered again when the hook refused their result', async () => {
    const { id } = await refunded();
    hook = async () => {
      throw new Error('Not now.');
    };
    await setup.deliver({ ...REFUND_FAILED, operationId: operationOf(id) });
    expect((await refund(id))['status']).to.equal('succeeded');
    hook = async () => undefined;
    await setup.pass(2 * MINUTE);
    expect((await refund(id))['status']).to.equal('failed');
  });
});
