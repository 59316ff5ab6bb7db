import { expect } from 'chai';
import { type AdminApp, startAdminApp } from '../support/admin-app.ts';
import { ask } from '../support/ask.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { query } from '../support/database.ts';
import { BANK, PaidOut } from '../support/paid-out.ts';
import { paymount } from '../support/run-command.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** A Saturday. */
const START = '2026-11-21T12:00:00.000Z';

type Json = Readonly<Record<string, unknown>>;

describe('Automatic payouts', function () {
  this.timeout(60_000);
  let app: AdminApp;
  let clock: FakeClock;
  let shop: PaidOut;

  beforeEach(async () => {
    clock = fakeClock(START);
    app = await startAdminApp({ clock });
    shop = new PaidOut(app, clock);
  });
  afterEach(async () => {
    expect(await app.paymount.verify()).to.deep.equal([]);
    await app.close();
  });

  const get = (path: string) => ask(`${app.url}${path}`, { key: app.secretKey });
  const list = async (path: string): Promise<readonly Json[]> =>
    (await get(path)).json['data'] as Json[];
  const charge = async (amount: number): Promise<string> => {
    const sale = { amount, currency: 'eur', payment_method: 'pm_card_visa' };
    return (await app.paymount.charges.create(app.acting, sale)).id;
  };
  const set = async (schedule: object, more: object = {}): Promise<void> => {
    const body = { schedule, ...more };
    const made = await app.admin(`/accounts/${app.account}/payout_settings`, { body });
    expect(made.status, made.text).to.equal(200);
  };
  const settings = async (): Promise<Json> =>
    (await app.admin(`/accounts/${app.account}/payout_settings`)).json;
  const euros = async (): Promise<Json | undefined> => {
    const { currencies } = await settings();
    return (currencies as Json[]).find((each) => each['livemode'] === false);
  };
  /** @param clock only those on it; without one, those on none */
  const payouts = async (clock = ''): Promise<readonly unknown[]> =>
    (await list(`/v1/payouts?limit=100${clock && `&test_clock=${clock}`}`)).map(
      ({ amount, status }) => `${amount} ${status}`,
    );
  const contained = async (payout: unknown): Promise<readonly unknown[]> =>
    (await list(`/v1/balance_transactions?payout=${payout}`)).map(
      ({ type, net, source }) => `${type} ${net} ${source}`,
    );
  const newest = async (): Promise<Json> => (await list('/v1/payouts'))[0] ?? {};

  it('pay what became available at each due moment, and show what they are made of', async () => {
    const bank = await shop.addBank();
    await set({ interval: 'daily' });
    const [first, second] = [await charge(10_000), await charge(5_000)];
    await shop.pass(2 * DAY);
    expect(await payouts(), 'not midnight yet').to.deep.equal([]);
    await shop.pass(12 * HOUR);
    const payout = await newest();
    expect(payout).to.deep.include({
      amount: 15_000,
      currency: 'eur',
      automatic: true,
      status: 'pending',
      destination: bank,
      created: '2026-11-24T00:00:00.000Z',
    });
    expect(await contained(payout['id'])).to.have.members([
      `charge 10000 ${first}`,
      `charge 5000 ${second}`,
    ]);
    await shop.settle();
    const causes = await query(
      app.databaseUrl,
      `SELECT DISTINCT source, request_id FROM paymount.events WHERE object_id = $1`,
      [payout['id']],
    );
    expect(causes).to.deep.equal([{ source: 'scheduler', request_id: null }]);
    expect(await payouts()).to.deep.equal(['15000 paid']);
    await shop.pass(2 * DAY);
    expect(await payouts(), 'nothing more was earned').to.deep.equal(['15000 paid']);
  });

  it('leave charges of the last days, and take what lowers the balance at once', async () => {
    await shop.addBank();
    await set({ interval: 'daily', delay_days: 4 });
    const old = await charge(10_000);
    await shop.pass(1.5 * DAY);
    await charge(3_000);
    // At the midnight of the 26th, the second charge is available, but only three days old.
    await shop.pass(2 * DAY);
    const refund = await shop.post('/v1/refunds', { charge: old, amount: 1_000 });
    await shop.pass(DAY);
    expect((await newest())['amount']).to.equal(9_000);
    expect(await contained((await newest())['id'])).to.have.members([
      `charge 10000 ${old}`,
      `refund -1000 ${refund.json['id']}`,
    ]);
    await shop.pass(2 * DAY);
    expect((await payouts()).map((each) => String(each).split(' ')[0])).to.deep.equal([
      '3000',
      '9000',
    ]);
  });

  it('leave bank debits of the last days, which may still be returned', async () => {
    const external_account = { ...BANK, currency: 'usd' };
    const path = `/v1/accounts/${app.account}/external_accounts`;
    expect((await shop.post(path, { external_account })).status).to.equal(200);
    await set({ interval: 'daily', delay_days: 14 });
    const debit = { amount: 2_000, currency: 'usd', payment_method: 'pm_usBankAccount' };
    expect((await shop.post('/v1/charges', debit)).json['status']).to.equal('pending');
    await shop.pass(5_000);
    await shop.pass(6 * DAY);
    expect((await get('/v1/balance')).json['available']).to.deep.include({
      amount: 2_000,
      currency: 'usd',
      source_types: { card: 2_000, bank_account: 0 },
    });
    expect(await payouts()).to.deep.equal([]);
    await shop.pass(9 * DAY);
    expect(await payouts()).to.deep.equal(['2000 pending']);
  });

  it('leave the funds of test clocks, and say so while a payout of a clock has spent theirs', async () => {
    await shop.addBank();
    await set({ interval: 'daily', delay_days: 0 });
    const clocks = '/v1/test_helpers/test_clocks';
    const frozen_time = '2026-11-01T00:00:00Z';
    const test_clock = String((await shop.post(clocks, { frozen_time })).json['id']);
    const payer = { test_clock, payment_method: 'pm_card_bypassPending' };
    const customer = String((await shop.post('/v1/customers', payer)).json['id']);
    const [method] = await list(`/v1/customers/${customer}/payment_methods`);
    const sale = { amount: 6_000, currency: 'eur', customer, payment_method: method?.['id'] };
    const paid = await shop.post('/v1/charges', sale);
    expect(paid.json['status'], paid.text).to.equal('succeeded');
    await shop.post(`${clocks}/${test_clock}/advance`, { frozen_time: '2026-11-02T00:00:00Z' });
    await shop.pass(2.25 * DAY);
    expect(await payouts()).to.deep.equal([]);
    await charge(1_000);
    await shop.pass(DAY + 7 * HOUR);
    // The charge is available now, and the next due moment is at midnight.
    await shop.pass(18 * HOUR);
    const spent = await shop.post('/v1/payouts', { amount: 6_500, currency: 'eur', test_clock });
    expect(spent.status, spent.text).to.equal(200);
    await shop.pass(6 * HOUR);
    expect(await payouts(test_clock)).to.deep.equal(['6500 pending']);
    expect(await payouts()).to.deep.equal([]);
    expect(await euros()).to.include({ waits_for: 'balance_insufficient' });
    await shop.post(`/v1/payouts/${String(spent.json['id'])}/cancel`);
    await shop.pass(2 * 60_000);
    expect(await payouts(test_clock)).to.deep.equal(['6500 canceled']);
    expect(await payouts()).to.deep.equal(['1000 pending']);
    expect(await euros()).to.include({ waits_for: null });
  });

  it('are paid once after downtime, however many moments have passed', async () => {
    await shop.addBank();
    await set({ interval: 'daily', delay_days: 0 });
    await charge(4_000);
    await shop.pass(30 * DAY);
    expect(await payouts()).to.deep.equal(['4000 pending']);
  });

  it('follow a weekly and a monthly schedule', async () => {
    await shop.addBank();
    await set({ interval: 'weekly', weekly_anchor: 'friday' });
    await charge(1_000);
    await shop.pass(5 * DAY);
    expect(await payouts(), 'Thursday').to.deep.equal([]);
    expect((await euros())?.['next_payout_at']).to.equal('2026-11-27T00:00:00.000Z');
    await shop.pass(DAY);
    expect(await payouts(), 'Friday').to.deep.equal(['1000 pending']);
    await set({ interval: 'monthly', monthly_anchor: 31 });
    await charge(2_000);
    await shop.pass(DAY);
    expect((await euros())?.['next_payout_at']).to.equal('2026-11-30T00:00:00.000Z');
    await shop.pass(3 * DAY);
    expect((await payouts())[0]).to.equal('2000 pending');
    expect((await euros())?.['next_payout_at']).to.equal('2026-12-31T00:00:00.000Z');
  });

  it('show the next payout as soon as a schedule is changed', async () => {
    await shop.addBank();
    await set({ interval: 'daily' });
    await charge(1_000);
    await shop.pass(HOUR);
    const next = async () => (await euros())?.['next_payout_at'];
    expect(await next()).to.equal('2026-11-22T00:00:00.000Z');
    await set({ interval: 'weekly', weekly_anchor: 'friday' });
    expect(await next(), 'before the worker has seen the change').to.equal(
      '2026-11-27T00:00:00.000Z',
    );
    await set({ interval: 'manual' });
    expect(await next()).to.equal(null);
    // Set when no worker runs, and due since the last midnight.
    await set({ interval: 'daily' });
    clock.advance(DAY);
    expect(await next()).to.equal('2026-11-22T00:00:00.000Z');
  });

  it('pay nothing for a balance that is not above zero, and carry it over', async () => {
    await shop.addBank();
    await set({ interval: 'daily' });
    const sold = await charge(2_000);
    await shop.pass(2.5 * DAY);
    expect(await payouts()).to.deep.equal(['2000 pending']);
    // Funds that wait cover the refund; the balance that may be paid out is below zero.
    await charge(2_500);
    const refund = await shop.post('/v1/refunds', { charge: sold, amount: 2_000 });
    expect(refund.status, refund.text).to.equal(200);
    await shop.pass(DAY);
    expect((await payouts()).length, 'below zero').to.equal(1);
    await shop.pass(2 * DAY);
    expect((await payouts())[0]).to.equal('500 pending');
  });

  it('contain what a failed automatic payout gave back', async () => {
    await shop.addBank('000111111113');
    await set({ interval: 'daily' });
    await charge(7_000);
    await shop.pass(2.5 * DAY);
    const failing = await newest();
    await shop.settle();
    expect(await payouts()).to.deep.equal(['7000 failed']);
    await charge(1_000);
    await shop.pass(3 * DAY);
    expect(await payouts(), 'its bank account is errored').to.deep.equal(['7000 failed']);
    expect(await euros()).to.include({ waits_for: 'bank_account_errored' });
    await shop.addBank();
    await shop.pass(HOUR);
    const retried = await newest();
    expect(retried['amount']).to.equal(8_000);
    const parts = await contained(retried['id']);
    expect(parts).to.include(`payout_failure 7000 ${failing['id']}`);
    expect(parts.length).to.equal(2);
    expect((await contained(failing['id'])).length).to.equal(1);
  });

  it('start again when an admin restores the bank account', async () => {
    const bank = await shop.addBank('000111111113');
    await set({ interval: 'daily' });
    await charge(7_000);
    await shop.pass(2.5 * DAY);
    await shop.settle();
    await shop.pass(DAY);
    const errored = await app.admin('/bank_accounts?status=errored');
    expect((errored.json['data'] as Json[]).map(({ id }) => id)).to.deep.equal([bank]);
    const restored = await app.admin(`/bank_accounts/${bank}/restore`, { body: {} });
    expect(restored.json).to.include({ id: bank, status: 'new', failure_code: null });
    await shop.pass(0);
    expect(await payouts()).to.deep.equal(['7000 pending', '7000 failed']);
    expect(await euros()).to.include({ waits_for: null });
    const again = await app.admin(`/bank_accounts/${bank}/restore`, { body: {} });
    expect([again.status, again.error['code']]).to.deep.equal([400, 'status_transition_invalid']);
    const audit = await app.admin('/audit?action=bank_account.restore');
    expect((audit.json['data'] as Json[]).map(({ target }) => target)).to.deep.equal([bank]);
  });

  it('are counted in the health, the metrics and by doctor while they wait', async () => {
    const waiting = async () => ((await app.admin('/health')).json['payouts'] as Json)['test'];
    const series = async (reason: string) => {
      const { text } = await app.admin('/metrics');
      const name = `paymount_payouts_waiting{environment="test",waits_for="${reason}"} `;
      return text
        .split('\n')
        .find((line) => line.startsWith(name))
        ?.slice(name.length);
    };
    expect(await waiting()).to.deep.equal({ waiting: 0, waits_for: {} });
    expect(await series('bank_account_missing')).to.equal('0');
    await set({ interval: 'daily' });
    await charge(7_000);
    await shop.pass(3 * DAY);
    expect(await waiting()).to.deep.equal({ waiting: 1, waits_for: { bank_account_missing: 1 } });
    expect(await series('bank_account_missing')).to.equal('1');
    const { json } = await app.admin('/health');
    expect(json).to.deep.include({ status: 'ok', problems: [] });
    const { out } = await paymount({ DATABASE_URL: app.databaseUrl }, 'doctor');
    expect(out.join('\n')).to.include('Live automatic payouts that wait: none; test ones: 1.');
    await shop.addBank();
    await shop.pass(HOUR);
    expect(await waiting()).to.deep.equal({ waiting: 0, waits_for: {} });
    expect(await series('bank_account_missing')).to.equal('0');
  });

  it('contain what manual payouts took before', async () => {
    await shop.addBank();
    await charge(10_000);
    await shop.pass(3 * DAY);
    const manual = await shop.post('/v1/payouts', { amount: 4_000, currency: 'eur' });
    await set({ interval: 'daily' });
    await shop.pass(DAY);
    const made = await newest();
    expect(made).to.include({ amount: 6_000, automatic: true });
    expect(await contained(made['id'])).to.include(`payout -4000 ${manual.json['id']}`);
    const refused = await get(`/v1/balance_transactions?payout=${manual.json['id']}`);
    expect([refused.status, refused.error['code'], refused.error['param']]).to.deep.equal([
      400,
      'parameter_invalid',
      'payout',
    ]);
    expect(refused.error['message']).to.include('only an automatic payout');
    const none = await get('/v1/balance_transactions?payout=po_none');
    expect([none.status, none.error['code'], none.error['param']]).to.deep.equal([
      400,
      'resource_missing',
      'payout',
    ]);
  });

  it('wait while the operator has stopped them, or the merchant has no bank account', async () => {
    await set({ interval: 'daily' }, { payouts_enabled: false });
    await charge(1_000);
    await shop.pass(3 * DAY);
    expect(await euros()).to.include({ waits_for: 'payouts_disabled' });
    const own = await get('/v1/account');
    expect(own.json).to.deep.include({
      payouts_enabled: false,
      settings: {
        payouts: {
          schedule: {
            interval: 'daily',
            delay_days: 2,
            weekly_anchor: null,
            monthly_anchor: null,
          },
        },
      },
    });
    await app.admin(`/accounts/${app.account}/payout_settings`, {
      body: { payouts_enabled: true },
    });
    await shop.pass(0);
    expect(await euros()).to.include({ waits_for: 'bank_account_missing' });
    await shop.addBank();
    await shop.pass(HOUR);
    expect(await payouts()).to.deep.equal(['1000 pending']);
  });

  it('collect more than one step holds', async () => {
    await shop.addBank();
    await charge(10_000);
    await shop.pass(3 * DAY);
    const reserve = { kind: 'reserve', amount: 1, currency: 'eur', reason: 'A test.' };
    const body = { account: app.account, livemode: false, ...reserve };
    // 1,001 in rounds of seven, because one after the other takes too long on a busy machine.
    for (let round = 0; round < 143; round += 1) {
      const made = Array.from({ length: 7 }, () => app.admin('/adjustments', { body }));
      for (const { status } of await Promise.all(made)) expect(status).to.equal(200);
    }
    await set({ interval: 'daily' });
    await shop.pass(DAY);
    expect((await newest())['amount']).to.equal(8_999);
    expect((await get('/v1/balance')).json).to.deep.include({
      available: [{ amount: 0, currency: 'eur', source_types: { card: 0, bank_account: 0 } }],
      reserved: [
        { amount: 1_001, currency: 'eur', source_types: { card: 1_001, bank_account: 0 } },
      ],
    });
  });
});
