import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { ClockSetup } from '../support/clock-setup.ts';
import { query } from '../support/database.ts';
import { PaidOut } from '../support/paid-out.ts';

const PATH = '/v1/test_helpers/test_clocks';
const DAY = 86_400_000;
const JAN_1 = '2030-01-01T00:00:00.000Z';
const JAN_2 = '2030-01-02T00:00:00.000Z';

describe('a test clock that is deleted', function () {
  this.timeout(60_000);
  let app: TestApp;
  let setup: ClockSetup;
  let shop: PaidOut;
  let clock: FakeClock;
  let refuses = false;

  before(async () => {
    clock = fakeClock();
    const hook = async () => {
      if (refuses) throw new Error('The books are closed.');
    };
    app = await startApp({ paymount: { clock, hook, sandbox: { silenceMs: 20 } } });
    setup = new ClockSetup(app);
    shop = new PaidOut(app, clock);
    await shop.earn(100_000);
    await shop.addBank();
  });
  after(() => app.close());
  afterEach(async () => {
    refuses = false;
    expect(await app.paymount.verify()).to.deep.equal([]);
  });

  const payout = async (id: string, more: object = {}): Promise<string> => {
    const asked = { amount: 500, currency: 'eur', test_clock: id, ...more };
    return String((await setup.make('/v1/payouts', asked))['id']);
  };
  const statusOf = async (path: string): Promise<unknown> => (await setup.read(path))['status'];
  const remove = async (id: string): Promise<void> => {
    const { status, text } = await setup.delete(`${PATH}/${id}`);
    expect(status, text).to.equal(200);
  };
  /** Lets the resolver ask about what is on its way. */
  const ask = () => shop.pass(2_000);
  const planned = (id: string) =>
    query(
      app.databaseUrl,
      `SELECT notice_id FROM paymount.sandbox_notices WHERE test_clock_id = '${id}'`,
    );
  const open = (id: string) =>
    query(
      app.databaseUrl,
      `SELECT id FROM paymount.operations
        WHERE state IN ('created', 'sent', 'unknown') AND subject_id = '${id}'`,
    );

  it('ends its subscriptions, and is not deleted while their hook refuses', async () => {
    const id = await setup.clock(JAN_1);
    const customer = await setup.customer(id);
    const price = await setup.make('/v1/prices', {
      product_data: { name: 'Basic' },
      currency: 'eur',
      unit_amount: 1_000,
      recurring: { interval: 'month' },
    });
    const sold = { customer, items: [{ price: price['id'] }] };
    const subscription = String((await setup.make('/v1/subscriptions', sold))['id']);
    refuses = true;
    const refused = await setup.delete(`${PATH}/${id}`);
    expect([refused.status, refused.error['code']]).to.deep.equal([409, 'hook_refused']);
    expect(await statusOf(`/v1/subscriptions/${subscription}`)).to.equal('active');
    refuses = false;
    await remove(id);
    expect(await statusOf(`/v1/subscriptions/${subscription}`)).to.equal('canceled');
  });

  it('gives back the funds of more unsent payouts than are read at once', async () => {
    const [available] = await setup.balance();
    const id = await setup.clock(JAN_1);
    const payouts: string[] = [];
    for (let count = 0; count < 21; count += 1) payouts.push(await payout(id, { amount: 10 }));
    expect((await setup.balance())[0]).to.equal(available - 210);
    await remove(id);
    for (const each of payouts) {
      expect(await statusOf(`/v1/payouts/${each}`)).to.equal('canceled');
      expect(await open(each)).to.deep.equal([]);
    }
    expect((await setup.balance())[0]).to.equal(available);
  });

  it('lets the bank pay what was sent', async () => {
    const id = await setup.clock(JAN_1);
    const sent = await payout(id);
    await setup.advance(id, JAN_2);
    expect(await statusOf(`/v1/payouts/${sent}`)).to.equal('in_transit');
    await remove(id);
    expect(await planned(id)).to.deep.equal([]);
    await ask();
    expect(await statusOf(`/v1/payouts/${sent}`)).to.equal('paid');
    expect(await open(sent)).to.deep.equal([]);
    expect(await setup.eventsOf(sent)).to.deep.equal([`payout.paid ${JAN_2}`]);
  });

  it('lets debits clear or be returned, and refunds arrive', async () => {
    const id = await setup.clock(JAN_1);
    const debit = async (name: string) =>
      setup.charge(await setup.customer(id, `pm_usBankAccount_${name}`), { currency: 'usd' });
    const clears = await debit('success');
    const returned = await debit('insufficientFunds');
    const sold = await setup.charge(await setup.customer(id, 'pm_card_pendingRefund'));
    const refund = await setup.make('/v1/refunds', { charge: sold });
    expect(refund['status']).to.equal('pending');
    await remove(id);
    await ask();
    expect(await statusOf(`/v1/charges/${clears}`)).to.equal('succeeded');
    expect(await statusOf(`/v1/charges/${returned}`)).to.equal('failed');
    expect(await statusOf(`/v1/refunds/${refund['id']}`)).to.equal('succeeded');
    expect(await setup.eventsOf(clears)).to.deep.equal([
      `charge.pending ${JAN_1}`,
      `charge.succeeded ${JAN_1}`,
    ]);
    for (const each of [clears, returned, String(refund['id'])]) {
      expect(await open(each)).to.deep.equal([]);
    }
  });

  it('in the past leaves the resolver a debit that stays pending, and all else', async () => {
    const id = await setup.clock('1970-01-01T00:00:00.000Z');
    const customer = await setup.customer(id, 'pm_usBankAccount_processing');
    const debit = await setup.charge(customer, { currency: 'usd' });
    await remove(id);
    await ask();
    const sale = { amount: 700, currency: 'eur', source: 'tok_timeout_approved' };
    const other = String((await setup.make('/v1/charges', sale))['id']);
    for (let times = 0; times < 3; times += 1) await shop.pass(DAY);
    expect(await statusOf(`/v1/charges/${other}`)).to.equal('succeeded');
    expect(await statusOf(`/v1/charges/${debit}`)).to.equal('pending');
    expect(await open(debit)).to.have.length(1);
  });

  it('opens no dispute any more, and plans nothing for what is done by hand', async () => {
    const id = await setup.clock(JAN_1);
    const disputed = await setup.charge(await setup.customer(id, 'pm_card_createDispute'));
    const sold = await setup.charge(await setup.customer(id, 'pm_card_pendingRefund'));
    expect(await planned(id)).to.have.lengthOf(1);
    await remove(id);
    const refund = await setup.make('/v1/refunds', { charge: sold });
    expect(refund['status']).to.equal('succeeded');
    expect(await planned(id)).to.deep.equal([]);
    await shop.pass(30 * DAY);
    expect((await setup.read(`/v1/disputes?charge=${disputed}`))['data']).to.deep.equal([]);
  });

  it('is kept while the hook refuses to cancel a payout, and says which', async () => {
    const id = await setup.clock(JAN_1);
    const unsent = await payout(id);
    refuses = true;
    const { status, error } = await setup.delete(`${PATH}/${id}`);
    expect([status, error['code']]).to.deep.equal([409, 'hook_refused']);
    expect(await statusOf(`${PATH}/${id}`)).to.equal('ready');
    expect(await statusOf(`/v1/payouts/${unsent}`)).to.equal('pending');
    refuses = false;
    await remove(id);
    expect(await statusOf(`/v1/payouts/${unsent}`)).to.equal('canceled');
  });

  it('keeps no other clock from being deleted after 30 days, if it cannot be deleted', async () => {
    const kept: string[] = [];
    for (let count = 0; count < 21; count += 1) {
      const id = await setup.clock(JAN_1);
      await payout(id, { amount: 1 });
      kept.push(id);
    }
    clock.advance(60_000);
    const last = await setup.clock(JAN_1);
    refuses = true;
    await shop.pass(31 * DAY);
    expect((await setup.get(`${PATH}/${last}`)).status).to.equal(404);
    for (const id of kept) expect(await statusOf(`${PATH}/${id}`)).to.equal('ready');
    refuses = false;
    await shop.pass(3_600_000);
    for (const id of kept) expect((await setup.get(`${PATH}/${id}`)).status).to.equal(404);
  });
});
