import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { ClockSetup } from '../support/clock-setup.ts';
import { type DisputeSetup, OPENED, startDisputeSetup } from '../support/dispute-setup.ts';
import { PaidOut } from '../support/paid-out.ts';

const DAY = 86_400_000;
/** Whatever is due on such a clock has been due for years in real time. */
const PAST = '2020-01-01T00:00:00.000Z';
/** A Monday evening in New York, before a holiday. */
const JAN_1 = '2030-01-01T00:00:00.000Z';
/** The second and the fourth banking day, and the tenth, when banks have settled. */
const RETURNED = '2030-01-03T13:30:00.000Z';
const CLEARED = '2030-01-07T13:30:00.000Z';
const LATE = '2030-01-15T13:30:00.000Z';

type Json = Readonly<Record<string, unknown>>;

describe('bank debits and returned payouts on a test clock', function () {
  this.timeout(60_000);
  let app: TestApp;
  let setup: ClockSetup;
  let clock: FakeClock;

  before(async () => {
    clock = fakeClock();
    app = await startApp({ paymount: { clock } });
    setup = new ClockSetup(app);
  });
  after(() => app.close());
  afterEach(async () => {
    expect(await app.paymount.verify()).to.deep.equal([]);
  });

  /** Debits the default bank account of a new customer on a new clock. */
  const debited = async (name: string) => {
    const id = await setup.clock(JAN_1);
    const customer = await setup.customer(id, `pm_usBankAccount_${name}`);
    return { id, charge: await setup.charge(customer, { currency: 'usd' }) };
  };
  const chargeOf = (id: string): Promise<Json> => setup.read(`/v1/charges/${id}`);
  /** Lets time pass that everybody shares. */
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await app.worker.drain();
  };

  it('clears a debit on the fourth banking day of the clock, not of real time', async () => {
    const { id, charge } = await debited('success');
    expect(await chargeOf(charge)).to.include({ status: 'pending', created: JAN_1 });
    for (let day = 0; day < 9; day += 1) await pass(DAY);
    await setup.advance(id, '2030-01-07T13:29:59.999Z');
    expect(await chargeOf(charge)).to.include({ status: 'pending' });
    await setup.advance(id, CLEARED);
    const cleared = await chargeOf(charge);
    expect(cleared).to.include({ status: 'succeeded', captured: true });
    const line = await setup.read(`/v1/balance_transactions/${cleared['balance_transaction']}`);
    expect(line).to.include({ type: 'payment', status: 'pending', created: CLEARED });
    expect(line).to.include({ available_on: '2030-01-09T13:30:00.000Z' });
    await setup.advance(id, '2030-01-09T13:30:00.000Z');
    expect(await setup.read(`/v1/balance_transactions/${line['id']}`)).to.include({
      status: 'available',
    });
    expect(await setup.eventsOf(charge)).to.deep.equal([
      `charge.pending ${JAN_1}`,
      `charge.succeeded ${CLEARED}`,
    ]);
  });

  it('returns a debit on the second banking day', async () => {
    const { id, charge } = await debited('insufficientFunds');
    await setup.advance(id, '2030-01-03T13:29:59.999Z');
    expect(await chargeOf(charge)).to.include({ status: 'pending' });
    await setup.advance(id, '2030-02-01T00:00:00.000Z');
    expect(await chargeOf(charge)).to.include({
      status: 'failed',
      failure_code: 'insufficient_funds',
    });
    expect(await setup.eventsOf(charge)).to.deep.equal([
      `charge.pending ${JAN_1}`,
      `charge.failed ${RETURNED}`,
    ]);
  });

  it('makes a lost dispute of a debit that is returned after it cleared', async () => {
    const { id, charge } = await debited('dispute');
    await setup.advance(id, '2030-01-15T13:29:59.999Z');
    expect(await chargeOf(charge)).to.include({ status: 'succeeded', disputed: false });
    await setup.advance(id, LATE);
    const { dispute, payment_method: method } = await chargeOf(charge);
    expect(await setup.read(`/v1/disputes/${dispute}`)).to.include({
      status: 'lost',
      created: LATE,
      network_reason_code: 'R10',
    });
    expect(await setup.eventsOf(String(dispute))).to.deep.equal([
      `dispute.created ${LATE}`,
      `dispute.lost ${LATE}`,
    ]);
    const { json: found } = await setup.get(`/v1/payment_methods/${method}`);
    const { us_bank_account: account } = found as { us_bank_account: Json };
    expect(account['status_details']).to.deep.equal({
      blocked: { network_code: 'R10', reason: 'debit_not_authorized' },
    });
  });

  it('leaves a debit pending about which nothing comes', async () => {
    const { id, charge } = await debited('processing');
    await setup.advance(id, '2030-03-01T00:00:00.000Z');
    await pass(DAY);
    expect(await chargeOf(charge)).to.include({ status: 'pending' });
    expect(await setup.eventsOf(charge)).to.deep.equal([`charge.pending ${JAN_1}`]);
  });

  it('returns a payout as long after it was paid as it took to be paid', async () => {
    const shop = new PaidOut(app, clock);
    await shop.earn(1_000);
    const bank = await shop.addBank('000999999991');
    const id = await setup.clock(JAN_1);
    const asked = { amount: 500, currency: 'eur', destination: bank, test_clock: id };
    const payout = String((await setup.make('/v1/payouts', asked))['id']);
    await setup.advance(id, '2030-01-03T00:00:00.000Z');
    for (let day = 0; day < 3; day += 1) await pass(DAY);
    expect(await setup.read(`/v1/payouts/${payout}`)).to.include({ status: 'paid' });
    await setup.advance(id, '2030-01-05T00:00:00.000Z');
    expect(await setup.read(`/v1/payouts/${payout}`)).to.include({
      status: 'failed',
      failure_code: 'account_closed',
    });
    expect(await setup.eventsOf(payout)).to.deep.equal([
      'payout.paid 2030-01-03T00:00:00.000Z',
      'payout.failed 2030-01-05T00:00:00.000Z',
    ]);
  });
});

describe('a dispute on a test clock that is answered at the processor', () => {
  let setup: DisputeSetup;
  before(async () => {
    setup = await startDisputeSetup({ takesAnswers: false });
  });
  after(() => setup.close());

  it('is past due by the time of the clock', async () => {
    const clocks = '/v1/test_helpers/test_clocks';
    const made = await setup.post(clocks, { frozen_time: PAST }).expect(200);
    const card = 'pm_card_visa';
    const { body: customer } = await setup
      .post('/v1/customers', { test_clock: made.body.id, payment_method: card })
      .expect(200);
    const { body: methods } = await setup
      .get(`/v1/customers/${customer.id}/payment_methods`)
      .expect(200);
    const sale = { amount: 10_000, currency: 'eur', payment_method: methods.data[0].id };
    const { body: charge } = await setup.post('/v1/charges', sale).expect(200);
    await setup.report('dispute.opened', charge.processor.reference, OPENED);
    const find = () => setup.disputeOf(charge.id);
    const isPastDue = async () => ((await find())['evidence_details'] as Json)['past_due'];
    expect(await find()).to.include({ created: PAST });
    await setup.pass(21 * DAY);
    expect(await isPastDue()).to.equal(false);
    const frozen_time = '2020-03-01T00:00:00.000Z';
    await setup.post(`${clocks}/${made.body.id}/advance`, { frozen_time }).expect(200);
    await setup.pass(0);
    const { body: clock } = await setup.get(`${clocks}/${made.body.id}`).expect(200);
    expect(clock).to.include({ status: 'ready', frozen_time });
    expect(await isPastDue()).to.equal(true);
    expect(await find()).to.include({ status: 'needs_response' });
    await setup.report('dispute.closed', charge.processor.reference, { outcome: 'won' });
    expect(await find()).to.include({ status: 'won', closed_reason: 'ruling' });
    expect(await setup.paymount.verify()).to.deep.equal([]);
  });
});
