import { expect } from 'chai';
import { NotSentError } from 'paymount/processor';
import { type DisputeDesk, OPENED, startDisputeDesk } from '../support/dispute-desk.ts';
import { PaidOut } from '../support/paid-out.ts';

const OWNER = 'owner@shop.test';
const DAY_MS = 86_400_000;

describe('E-mails to the owner of an account', () => {
  let desk: DisputeDesk;
  before(async () => {
    desk = await startDisputeDesk();
    await desk.paymount.accounts.update(desk.account, { email: OWNER });
  });
  after(() => desk.close());
  afterEach(async () => {
    desk.bank.found = undefined;
    desk.forget();
    expect(await desk.paymount.verify()).to.deep.equal([]);
  });

  const owned = () => desk.mails.filter(({ to }) => to === OWNER);
  const subjects = () => owned().map(({ subject }) => subject);
  const refund = async (source: string) => {
    const { id: charge } = await desk.sale(source);
    const { body } = await desk.post('/v1/refunds', { charge, amount: 4_000 }).expect(200);
    return { charge, id: String(body.id) };
  };

  it('say until when a chargeback can be answered, once', async () => {
    const dueBy = new Date(desk.clock.now().getTime() + 9 * DAY_MS).toISOString();
    const { charge, dispute, reference } = await desk.chargeback({ dueBy });
    await desk.report('dispute.opened', reference, { ...OPENED, dueBy });
    expect(subjects()).to.deep.equal(['A test charge was disputed: 10000 eur']);
    const [{ text = '' } = {}] = owned();
    for (const fact of [dispute, charge, desk.account, 'Reason: fraudulent', `End: ${dueBy}`]) {
      expect(text).to.include(fact);
    }
  });

  it('are sent about an alert, and again about the chargeback that follows', async () => {
    const { reference } = await desk.sale();
    await desk.report('dispute.alert', reference, OPENED);
    await desk.report('dispute.opened', reference, OPENED);
    expect(subjects()).to.deep.equal([
      'A test charge is about to be disputed: 10000 eur',
      'A test charge was disputed: 10000 eur',
    ]);
  });

  it('ask for nothing if nobody can contest the chargeback', async () => {
    await desk.chargeback({ contestable: false });
    expect(subjects()).to.deep.equal(['A test charge was disputed and is lost: 10000 eur']);
    expect(owned()[0]?.text).to.include('Nobody can contest this dispute.').and.not.include('End:');
  });

  it('are not sent about a ruling, which an event reports', async () => {
    const { reference } = await desk.chargeback();
    desk.forget();
    await desk.report('dispute.closed', reference, { outcome: 'won' });
    expect(owned()).to.deep.equal([]);
  });

  it('say that a refund failed, at once or later, so that the customer is paid in another way', async () => {
    const rejected = await refund('tok_refundRejected');
    await desk.pass(61_000);
    expect(subjects()).to.deep.equal(['A test refund failed: 4000 eur']);
    expect(owned()[0]?.text).to.include(rejected.id).and.include(rejected.charge);
    desk.forget();
    const { id } = await refund('tok_visa');
    const operationId = desk.bank.calls.at(-1)?.operationId;
    const data = { code: 'account_closed', message: 'The account is closed.' };
    await desk.deliver({ kind: 'refund.failed', operationId, data });
    expect(subjects()).to.deep.equal(['A test refund failed: 4000 eur']);
    expect(owned()[0]?.text).to.include(id);
  });

  it('are not sent about a refund of an authorization, which moved no money, or that was not sent', async () => {
    const sale = { amount: 10_000, currency: 'eur', source: 'tok_visa', capture: false };
    const { body } = await desk.post('/v1/charges', sale).expect(200);
    const refused = { outcome: 'rejected', code: 'processing_error', message: 'No.' } as const;
    const { cancel, refund: refundAtBank } = desk.bank;
    desk.bank.cancel = async () => refused;
    const voided = await desk.post('/v1/refunds', { charge: body.id }).expect(200);
    expect(voided.body.status).to.equal('failed');
    desk.bank.cancel = cancel;
    desk.bank.refund = () => Promise.reject(new NotSentError('refused'));
    const { id: charge } = await desk.sale();
    await desk.post('/v1/refunds', { charge }).expect(200);
    desk.bank.refund = refundAtBank;
    await desk.worker.drain();
    expect(owned()).to.deep.equal([]);
  });

  it('are sent now about what happens on a test clock that shows next year', async () => {
    const shop = new PaidOut(desk, desk.clock);
    await shop.earn(20_000);
    await shop.addBank('000111111113');
    const nextYear = new Date(desk.clock.now().getTime() + 365 * DAY_MS);
    const clocks = '/v1/test_helpers/test_clocks';
    const made = await desk.post(clocks, { frozen_time: nextYear.toISOString() }).expect(200);
    const test_clock = made.body.id;
    const payout = { amount: 1_000, currency: 'eur', test_clock };
    await desk.post('/v1/payouts', payout).expect(200);
    const frozen_time = new Date(nextYear.getTime() + DAY_MS).toISOString();
    await desk.post(`${clocks}/${test_clock}/advance`, { frozen_time }).expect(200);
    await desk.worker.drain();
    const operationId = desk.bank.calls.at(-1)?.operationId;
    const data = { code: 'account_closed', message: 'The account is closed.' };
    await desk.deliver({ kind: 'payout.failed', operationId, data });
    expect(subjects()).to.deep.equal(['A test payout failed: 1000 eur']);
  });

  it('are not written for an account without an address', async () => {
    await desk.paymount.accounts.update(desk.account, { email: null });
    await desk.chargeback();
    expect(desk.mails).to.deep.equal([]);
    expect(await desk.events()).to.include('dispute.created');
  });
});
