import { expect } from 'chai';
import type { OperationId } from 'paymount/processor';
import { type DisputeSetup, OPENED, startDisputeSetup } from '../support/dispute-setup.ts';
import { eventually } from '../support/eventually.ts';
import { notice } from '../support/notifying-bank.ts';
import { BANK } from '../support/paid-out.ts';

const DAY = 86_400_000;

/** Known bugs of other payment libraries, each as a test that would have found it. */
describe('notices that race', () => {
  let setup: DisputeSetup;
  before(async () => {
    setup = await startDisputeSetup();
  });
  after(() => setup.close());
  afterEach(async () => expect(await setup.paymount.verify()).to.deep.equal([]));

  const read = async (path: string) => (await setup.get(path).expect(200)).body;
  /** What the bank calls an operation, whose answer may be held back. */
  const referenceOf = async (operationId: string): Promise<string> => {
    const known = await setup.bank.lookup(operationId as OperationId, AbortSignal.timeout(5_000));
    if (known === 'not_found' || !('processorReference' in known)) throw new Error('Not executed.');
    return known.processorReference;
  };
  const eventsOf = async (id: string): Promise<readonly string[]> => {
    const { data } = await read('/v1/events?limit=100');
    return data
      .filter((event: { data: { object: { id: string } } }) => event.data.object.id === id)
      .map((event: { type: string }) => event.type);
  };

  it('before the answer of the call (cashier-stripe #1307, #1773, pay #371, dj-stripe #409): once', async () => {
    const release = setup.bank.hold();
    const sale = { amount: 703, currency: 'eur', source: 'tok_visa' };
    const asked = setup.post('/v1/charges', sale).then((answer) => answer);
    const call = await eventually(() => setup.bank.calls.find(({ amount }) => amount === 703));
    const { operationId, reference: id } = call;
    const processorReference = await referenceOf(operationId);
    const data = { amount: 703, currency: 'eur' };
    await setup.deliver({ kind: 'charge.settled', operationId, processorReference, data });
    expect(await read(`/v1/charges/${id}`)).to.include({ status: 'succeeded' });
    release();
    const { status, body } = await asked;
    expect([status, body.id, body.status]).to.deep.equal([200, id, 'succeeded']);
    expect(await eventsOf(String(id))).to.deep.equal(['charge.succeeded']);
  });

  it('before the answer of a refund (dj-stripe #429, #1239): its amount is back once', async () => {
    const { id } = await setup.sale();
    const release = setup.bank.hold();
    const asked = setup.post('/v1/refunds', { charge: id, amount: 704 }).then((answer) => answer);
    const call = await eventually(() => setup.bank.calls.find(({ amount }) => amount === 704));
    const { operationId } = call;
    const data = { amount: 704, currency: 'eur' };
    const processorReference = await referenceOf(operationId);
    const settled = { kind: 'refund.settled', operationId, processorReference, data };
    await setup.deliver(settled, settled, settled);
    release();
    const { status, body } = await asked;
    expect([status, body.status]).to.deep.equal([200, 'succeeded']);
    expect(await read(`/v1/charges/${id}`)).to.include({ amount_refunded: 704 });
    expect(await eventsOf(id)).to.deep.equal(['charge.refunded', 'charge.succeeded']);
  });

  it('late notice overwrites state (cashier-paddle PR 313, stripe-cli #418): a charge stays paid', async () => {
    const { id, reference } = await setup.sale();
    const occurredAt = new Date(setup.clock.now().getTime() - 60_000).toISOString();
    const data = { code: 'card_declined', message: 'It was declined.' };
    const late = { kind: 'charge.failed', processorReference: reference, occurredAt, data };
    await setup.deliver(late);
    expect(await read(`/v1/charges/${id}`)).to.include({ status: 'succeeded', paid: true });
    expect(await eventsOf(id)).to.deep.equal(['charge.succeeded']);
  });

  it('late notice overwrites state (cashier-paddle PR 313): a dispute that was lost stays lost', async () => {
    const { charge, dispute, reference } = await setup.chargeback();
    await setup.report('dispute.closed', reference, { outcome: 'lost' });
    await setup.report('dispute.alert', reference, { ...OPENED, contestable: true });
    await setup.report('dispute.opened', reference, { ...OPENED, contestable: true });
    expect(await setup.disputeOf(charge)).to.include({ id: dispute, status: 'lost' });
    expect(await eventsOf(dispute)).to.deep.equal(['dispute.lost', 'dispute.created']);
  });

  it('late notice overwrites state (cashier-paddle PR 313): a returned payout stays failed', async () => {
    const path = `/v1/accounts/${setup.account}/external_accounts`;
    await setup.post(path, { external_account: BANK }).expect(200);
    await setup.sale();
    await setup.pass(3 * DAY);
    const { body } = await setup.post('/v1/payouts', { amount: 705, currency: 'eur' }).expect(200);
    await setup.pass(11_000);
    await setup.pass(61_000);
    const { operationId } = await eventually(() =>
      setup.bank.calls.find(({ kind, amount }) => kind === 'payout' && amount === 705),
    );
    const data = { code: 'account_closed', message: 'The account is closed.' };
    await setup.deliver({ kind: 'payout.failed', operationId, data });
    const occurredAt = new Date(setup.clock.now().getTime() - 60_000).toISOString();
    await setup.deliver({ kind: 'payout.paid', operationId, occurredAt, data: {} });
    expect(await read(`/v1/payouts/${body.id}`)).to.include({ status: 'failed' });
    expect(await eventsOf(body.id)).to.deep.equal(['payout.failed', 'payout.paid']);
  });

  it('zero-decimal times 100 (Odoo PR 227688): refunds and chargebacks of yen are whole yen', async () => {
    const yen = { amount: 500, currency: 'jpy', source: 'tok_visa' };
    const { body: charge } = await setup.post('/v1/charges', yen).expect(200);
    await setup.post('/v1/refunds', { charge: charge.id, amount: 200 }).expect(200);
    const { reference } = charge.processor;
    const facts = { amount: 300, currency: 'jpy', reason: 'fraudulent', contestable: true };
    await setup.report('dispute.opened', reference, facts);
    const refunded = setup.bank.asked('refund', setup.bank.calls.at(-1)?.reference ?? '');
    expect(refunded.map(({ amount, currency }) => [amount, currency])).to.deep.equal([
      [200, 'jpy'],
    ]);
    expect(await setup.disputeOf(charge.id)).to.include({ amount: 300, currency: 'jpy' });
    const { available, pending } = await read('/v1/balance');
    const yenOf = (funds: { amount: number; currency: string }[]) =>
      funds.find(({ currency }) => currency === 'jpy')?.amount ?? 0;
    expect(yenOf(available) + yenOf(pending)).to.equal(0);
  });

  it('one notice 20 times at once (pay #371): it is applied once', async () => {
    const { id, reference } = await setup.sale();
    const opened = { ...OPENED, disputeReference: 'case_of_many', contestable: true };
    const sent = notice({ kind: 'dispute.opened', processorReference: reference, data: opened });
    const answers = await Promise.all(Array.from({ length: 20 }, () => setup.send([sent])));
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    await eventually(async () => (await read(`/v1/disputes?charge=${id}`)).data.length === 1);
    const { id: dispute } = await setup.disputeOf(id);
    expect(await eventsOf(String(dispute))).to.deep.equal(['dispute.created']);
  });
});
