import { expect } from 'chai';
import { type DebitShop, startDebitShop } from '../support/debit-shop.ts';

const SECOND = 1_000;
const DAY = 86_400_000;

/** What becomes of a debit of each published number, two seconds after it was submitted. */
const RETURNED: readonly (readonly [number: string, name: string, code: string, r: string])[] = [
  ['000111111113', 'accountClosed', 'account_closed', 'R02'],
  ['000111111116', 'noAccount', 'no_account', 'R03'],
  ['000222222227', 'insufficientFunds', 'insufficient_funds', 'R01'],
  ['000333333335', 'debitNotAuthorized', 'debit_not_authorized', 'R29'],
];

describe('Bank debits of the sandbox', () => {
  let shop: DebitShop;

  before(async () => {
    shop = await startDebitShop();
  });
  after(() => shop.close());
  afterEach(async () => {
    expect(await shop.paymount.verify()).to.deep.equal([]);
  });

  const charge = async (id: unknown) => (await shop.get(`/v1/charges/${id}`)).json;

  it('are pending when they are submitted, and clear after two seconds', async () => {
    const made = await shop.debit(await shop.bank());
    expect(made.status, made.text).to.equal(200);
    const { id } = made.json;
    expect(made.json).to.deep.include({
      status: 'pending',
      paid: false,
      captured: false,
      balance_transaction: null,
      failure_code: null,
      outcome: {
        type: 'authorized',
        network_status: 'approved_by_network',
        reason: null,
        risk_level: 'normal',
        advice_code: null,
      },
    });
    expect(await shop.eventsOf(id)).to.deep.equal(['charge.pending']);
    // Real time counts too, so that more would be a bet on the speed of the machine.
    await shop.pass(0);
    expect(await charge(id)).to.include({ status: 'pending' });
    await shop.pass(2.5 * SECOND);
    expect(await charge(id)).to.include({ status: 'succeeded', paid: true, captured: true });
    expect(await shop.eventsOf(id)).to.deep.equal(['charge.pending', 'charge.succeeded']);
    const { json: line } = await shop.get(
      `/v1/balance_transactions/${(await charge(id))['balance_transaction']}`,
    );
    expect(line).to.include({ type: 'payment', amount: 5_000, currency: 'usd', status: 'pending' });
  });

  for (const [number, name, code, returnCode] of RETURNED) {
    it(`of ${number} are returned with ${returnCode}: ${code}`, async () => {
      const byNumber = await shop.debit(await shop.bank(number));
      const byName = await shop.debit(`pm_usBankAccount_${name}`);
      for (const { status, json, text } of [byNumber, byName]) {
        expect([status, json['status']], text).to.deep.equal([200, 'pending']);
      }
      await shop.pass(3 * SECOND);
      for (const { json } of [byNumber, byName]) {
        const failed = await charge(json['id']);
        expect(failed).to.include({ status: 'failed', paid: false, failure_code: code });
        expect(failed['failure_message']).to.contain(`(${returnCode})`);
        expect(failed['outcome']).to.include({ type: 'issuer_declined', reason: returnCode });
        expect(await shop.eventsOf(json['id'])).to.deep.equal(['charge.pending', 'charge.failed']);
      }
    });
  }

  it('of 000555555559 clear, and are then returned with R10: a dispute, lost at once', async () => {
    const { id } = (await shop.debit(await shop.bank('000555555559'))).json;
    await shop.pass(3 * SECOND);
    expect(await charge(id)).to.include({ status: 'succeeded', disputed: false });
    await shop.pass(2 * SECOND);
    const disputed = await charge(id);
    expect(disputed).to.include({ status: 'succeeded', disputed: true });
    const { json: dispute } = await shop.get(`/v1/disputes/${disputed['dispute']}`);
    expect(dispute).to.include({
      amount: 5_000,
      currency: 'usd',
      status: 'lost',
      closed_reason: 'not_contestable',
      reason: 'debit_not_authorized',
      network_reason_code: 'R10',
    });
    expect(await shop.eventsOf(id)).to.deep.equal(['charge.pending', 'charge.succeeded']);
    expect(await shop.eventsOf(dispute['id'])).to.deep.equal(['dispute.created', 'dispute.lost']);
  });

  it('of 000000000009 stay pending', async () => {
    const { id } = (await shop.debit(await shop.bank('000000000009'))).json;
    for (let day = 0; day < 5; day += 1) await shop.pass(DAY);
    expect(await charge(id)).to.include({ status: 'pending' });
    expect(await shop.eventsOf(id)).to.deep.equal(['charge.pending']);
  });
});

describe('Bank debits of the sandbox, in the time that banks take', () => {
  let shop: DebitShop;

  before(async () => {
    shop = await startDebitShop({ sandbox: { calendarTimes: true } });
  });
  after(() => shop.close());

  it('clear on the fourth banking day', async () => {
    // A Friday. Monday the 18th is a holiday, so the fourth banking day is the next Friday.
    const now = shop.clock.now().getTime();
    await shop.pass(Date.parse('2027-01-15T12:00:00.000Z') - now);
    const { id } = (await shop.debit('pm_usBankAccount_success')).json;
    await shop.pass(Date.parse('2027-01-22T13:29:00.000Z') - shop.clock.now().getTime());
    expect((await shop.get(`/v1/charges/${id}`)).json).to.include({ status: 'pending' });
    await shop.pass(2 * 60 * SECOND);
    expect((await shop.get(`/v1/charges/${id}`)).json).to.include({ status: 'succeeded' });
  });
});
