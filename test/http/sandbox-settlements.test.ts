import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { ask } from '../support/ask.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { query } from '../support/database.ts';
import { PaidOut } from '../support/paid-out.ts';

const SECOND = 1_000;
const DAY = 86_400_000;

type Json = Readonly<Record<string, unknown>>;

describe('The sandbox as a bank', () => {
  let app: TestApp;
  let clock: FakeClock;
  let shop: PaidOut;

  beforeEach(async () => {
    clock = fakeClock('2026-11-21T12:00:00.000Z');
    app = await startApp({ paymount: { clock, sandbox: { settlementLines: true } } });
    shop = new PaidOut(app, clock);
  });
  afterEach(async () => {
    expect(await app.paymount.verify()).to.deep.equal([]);
    await app.close();
  });

  const get = async (path: string): Promise<Json> =>
    (await ask(`${app.url}${path}`, { key: app.secretKey })).json;

  it('pays a payout to 000999999991, and then returns it', async () => {
    await shop.earn(10_000);
    const bank = await shop.addBank('000999999991');
    const made = await shop.post('/v1/payouts', { amount: 4_000, currency: 'eur' });
    const path = `/v1/payouts/${made.json['id']}`;
    await shop.pass(11 * SECOND);
    await shop.pass(2 * SECOND);
    expect(await get(path)).to.include({ status: 'paid' });
    await shop.pass(2 * SECOND);
    expect(await get(path)).to.include({ status: 'failed', failure_code: 'account_closed' });
    const events = (await get(`/v1/events?object_id=${made.json['id']}`))['data'] as Json[];
    expect(events.map(({ type }) => type)).to.deep.equal(['payout.failed', 'payout.paid']);
    const account = await get(`/v1/accounts/${app.account}/external_accounts/${bank}`);
    expect(account).to.include({ status: 'errored', failure_code: 'account_closed' });
    const rows = await query<{ kind: string }>(
      app.databaseUrl,
      `SELECT kind FROM paymount.ledger_transaction WHERE source_id = '${made.json['id']}'
       ORDER BY created, kind`,
    );
    expect(rows.map(({ kind }) => kind)).to.deep.equal([
      'payout',
      'payout_paid',
      'payout_returned',
    ]);
    const refused = await shop.post('/v1/payouts', { amount: 4_000, currency: 'eur' });
    expect([refused.status, refused.error['code']]).to.deep.equal([400, 'payouts_not_allowed']);
  });

  it('says that it was paid and returned, also to a worker that was away for a day', async () => {
    await shop.earn(10_000);
    await shop.addBank('000999999991');
    const made = await shop.post('/v1/payouts', { amount: 4_000, currency: 'eur' });
    await shop.pass(11 * SECOND);
    await shop.pass(DAY);
    const events = (await get(`/v1/events?object_id=${made.json['id']}`))['data'] as Json[];
    expect(events.map(({ type }) => type)).to.deep.equal(['payout.failed', 'payout.paid']);
  });

  it('settles charges and refunds, and nothing that was declined', async () => {
    const charge = (source: string, more: object = {}) =>
      shop.post('/v1/charges', { amount: 10_000, currency: 'eur', source, ...more });
    const sold = await charge('tok_visa');
    await charge('tok_visa_chargeDeclined');
    const held = await charge('tok_visa', { capture: false });
    await shop.post(`/v1/charges/${held.json['id']}/capture`, { amount: 6_000 });
    await shop.post('/v1/refunds', { charge: sold.json['id'], amount: 1_000 });
    await shop.post('/v1/refunds', {
      charge: (await charge('tok_pendingRefund')).json['id'],
      amount: 500,
    });
    await shop.pass(3 * SECOND);
    const lines = await query<{ amount: string; expected: string }>(
      app.databaseUrl,
      'SELECT amount, expected_amount AS expected FROM paymount.settlement_lines ORDER BY amount',
    );
    expect(lines.map(({ amount, expected }) => [amount, expected].map(Number))).to.deep.equal([
      [-1_000, -1_000],
      [-500, -500],
      [6_000, 6_000],
      [10_000, 10_000],
      [10_000, 10_000],
    ]);
    await shop.pass(11 * DAY);
  });

  it('settles bank debits when they have cleared, their refunds too, and none that was returned', async () => {
    await shop.post('/v1/charges', { amount: 10_000, currency: 'usd', source: 'tok_visa' });
    await shop.pass(3 * SECOND);
    const debit = async (name: string) => {
      const body = { amount: 5_000, currency: 'usd', payment_method: `pm_usBankAccount_${name}` };
      return String((await shop.post('/v1/charges', body)).json['id']);
    };
    const cleared = await debit('success');
    await debit('insufficientFunds');
    await debit('processing');
    await shop.pass(2 * SECOND);
    await shop.post('/v1/refunds', { charge: cleared, amount: 1_000 });
    await shop.pass(3 * SECOND);
    await shop.pass(11 * SECOND);
    const lines = await query<{ amount: string; charge_id: string }>(
      app.databaseUrl,
      'SELECT amount, charge_id FROM paymount.settlement_lines WHERE amount < 10000 ORDER BY amount',
    );
    expect(lines.map((line) => [Number(line.amount), line.charge_id])).to.deep.equal([
      [-1_000, cleared],
      [5_000, cleared],
    ]);
    await shop.pass(11 * DAY);
  });

  it('settles chargebacks, and gives back those that are won', async () => {
    const sell = async (source: string) => {
      const sale = await shop.post('/v1/charges', { amount: 10_000, currency: 'eur', source });
      await shop.pass(3 * SECOND);
      const charge = String(sale.json['id']);
      return { charge, dispute: String((await get(`/v1/charges/${charge}`))['dispute']) };
    };
    const answer = async (dispute: string, text: string) => {
      const evidence = { uncategorized_text: text };
      expect((await shop.post(`/v1/disputes/${dispute}`, { evidence })).status).to.equal(200);
      await shop.pass(3 * SECOND);
    };
    const won = await sell('tok_createDispute');
    const lost = await sell('tok_createDispute');
    const alert = await sell('tok_createDisputeInquiry');
    await answer(won.dispute, 'winning_evidence');
    await answer(lost.dispute, 'losing_evidence');
    await answer(alert.dispute, 'escalate_inquiry_evidence');
    await shop.pass(3 * SECOND);
    const lines = await query<{ charge_id: string; amounts: string }>(
      app.databaseUrl,
      `SELECT charge_id, string_agg(kind || ' ' || amount, ', ' ORDER BY settled_on, amount DESC) AS amounts
       FROM paymount.settlement_lines WHERE amount = expected_amount GROUP BY charge_id`,
    );
    expect(Object.fromEntries(lines.map((line) => [line.charge_id, line.amounts]))).to.deep.equal({
      [won.charge]: 'payment 10000, chargeback -10000, chargeback_reversal 10000',
      [lost.charge]: 'payment 10000, chargeback -10000',
      [alert.charge]: 'payment 10000, chargeback -10000',
    });
    await shop.pass(11 * DAY);
  });

  it('settles bank debits after the banking days that they take, if it keeps to these', async () => {
    const slow = await startApp({
      paymount: { clock, sandbox: { settlementLines: true, calendarTimes: true } },
    });
    try {
      const merchant = new PaidOut(slow, clock);
      const body = { amount: 5_000, currency: 'usd', payment_method: 'pm_usBankAccount_success' };
      await merchant.post('/v1/charges', body);
      const lines = () => query(slow.databaseUrl, 'SELECT FROM paymount.settlement_lines');
      // A Saturday; the fourth banking day is the Friday after Thanksgiving.
      await merchant.pass(6 * DAY - SECOND);
      expect(await lines()).to.have.length(0);
      await merchant.pass(DAY);
      await merchant.pass(3 * SECOND);
      await merchant.pass(11 * SECOND);
      expect(await lines()).to.have.length(1);
    } finally {
      await slow.close();
    }
  });
});
