import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, JSON_TYPE, postJson } from '../support/ask.ts';
import { billingLaws } from '../support/billing-laws.ts';
import { ClockSetup } from '../support/clock-setup.ts';

type Json = Readonly<Record<string, unknown>>;

const DECLINED = 'pm_card_visa_chargeDeclinedInsufficientFunds';

/** What other billing systems got wrong, each under the number of the report. */
describe('Known faults of billing', () => {
  let app: TestApp;
  let shop: ClockSetup;
  let clock: string;
  let customer: string;
  before(async () => {
    app = await startApp();
    shop = new ClockSetup(app);
  });
  after(async () => {
    const broken = await billingLaws(app.databaseUrl);
    await app.close();
    expect(broken).to.deep.equal([]);
  });

  /** A customer with a good card, whose time begins then. */
  async function begin(start: string): Promise<void> {
    clock = await shop.clock(new Date(start).toISOString());
    customer = await shop.customer(clock);
  }
  async function useCard(card: string): Promise<void> {
    const attached = card && (await shop.make(`/v1/payment_methods/${card}/attach`, { customer }));
    const method = attached === '' ? '' : attached['id'];
    const invoice_settings = { default_payment_method: method };
    await shop.make(`/v1/customers/${customer}`, { invoice_settings });
  }
  async function price(amount: number, interval = 'month'): Promise<string> {
    const made = await shop.make('/v1/prices', {
      product_data: { name: `Plan ${amount}` },
      currency: 'eur',
      unit_amount: amount,
      recurring: { interval },
    });
    return String(made['id']);
  }
  async function subscribe(amount: number, more: object = {}, interval?: string): Promise<Json> {
    const items = [{ price: await price(amount, interval) }];
    return shop.make('/v1/subscriptions', { customer, items, ...more });
  }
  const path = (of: Json): string => `/v1/subscriptions/${String(of['id'])}`;
  const read = (of: Json): Promise<Json> => shop.read(path(of));
  const advance = (to: string) => shop.advance(clock, new Date(to).toISOString());
  async function invoices(of: Json): Promise<readonly Json[]> {
    const listed = await shop.read(`/v1/invoices?subscription=${String(of['id'])}&limit=100`);
    return (listed['data'] as Json[]).toReversed();
  }
  const totals = async (of: Json) => (await invoices(of)).map((each) => each['total']);
  const linesOf = (invoice: Json = {}): readonly Json[] =>
    (invoice['lines'] as { data: Json[] }).data;
  async function change(of: Json, to: string, more: object = {}): Promise<Json> {
    const [item] = (of['items'] as { data: Json[] }).data;
    return shop.make(path(of), { items: [{ id: item?.['id'], price: to }], ...more });
  }
  /** Gives back unused time, and invoices what waits. */
  async function endNow(of: Json): Promise<Json> {
    const { status, json, text } = await ask(`${app.url}${path(of)}`, {
      method: 'DELETE',
      key: app.secretKey,
      headers: JSON_TYPE,
      body: JSON.stringify({ prorate: true, invoice_now: true }),
    });
    expect(status, text).to.equal(200);
    return json;
  }
  async function charges(): Promise<readonly unknown[]> {
    const listed = await shop.read(`/v1/charges?customer=${customer}&limit=100`);
    return (listed['data'] as Json[]).map((each) => [each['status'], each['amount']]).toReversed();
  }

  it('keeps the anchor after a short month (polar #10664, autumn PR 2115)', async () => {
    await begin('2030-01-31T12:00:00Z');
    const made = await subscribe(1_000);
    await advance('2030-04-30T12:00:00Z');
    expect((await invoices(made)).map((each) => each['period_start'])).to.deep.equal([
      '2030-01-31T12:00:00.000Z',
      '2030-02-28T12:00:00.000Z',
      '2030-03-31T12:00:00.000Z',
      '2030-04-30T12:00:00.000Z',
    ]);
  });

  it('bills nothing a second before the end, and the next period once (SELISE PR 538)', async () => {
    await begin('2030-04-01T00:00:00Z');
    const made = await subscribe(1_000);
    await advance('2030-04-30T23:59:59Z');
    expect(await totals(made)).to.deep.equal([1_000]);
    await advance('2030-05-01T00:00:00Z');
    await advance('2030-05-01T00:00:01Z');
    expect(await totals(made)).to.deep.equal([1_000, 1_000]);
    expect((await read(made))['current_period_end']).to.equal('2030-06-01T00:00:00.000Z');
  });

  it('retries nothing after a cancellation (polar #6542)', async () => {
    await begin('2030-04-01T00:00:00Z');
    const made = await subscribe(1_000);
    await useCard(DECLINED);
    await advance('2030-05-01T00:00:00Z');
    await shop.delete(path(made));
    await useCard('pm_card_visa');
    await advance('2030-06-15T00:00:00Z');
    const states = (await invoices(made)).map((each) => [each['status'], each['attempt_count']]);
    expect(states).to.deep.equal([
      ['paid', 1],
      ['void', 1],
    ]);
    expect(await charges()).to.deep.equal([
      ['succeeded', 1_000],
      ['failed', 1_000],
    ]);
  });

  it('ends without a payment method, and on the last day of retries (polar #8223, PR 8262)', async () => {
    await begin('2030-04-01T00:00:00Z');
    const without = await subscribe(1_000);
    await useCard('');
    await advance('2030-05-07T23:59:59Z');
    expect((await read(without))['status']).to.equal('past_due');
    await advance('2030-05-08T00:00:00Z');
    expect(await read(without)).to.include({
      status: 'canceled',
      ended_at: '2030-05-08T00:00:00.000Z',
    });
    await begin('2030-04-01T00:00:00Z');
    const declined = await subscribe(1_000);
    await useCard(DECLINED);
    await advance('2030-12-01T00:00:00Z');
    expect(await read(declined)).to.include({
      status: 'canceled',
      ended_at: '2030-05-08T00:00:00.000Z',
    });
  });

  it('bills a paid plan that replaces a free one on the first day (killbill #877)', async () => {
    await begin('2030-04-01T00:00:00Z');
    const made = await subscribe(0);
    const paid = await price(3_000);
    await change(made, paid, { proration_behavior: 'always_invoice' });
    expect(await totals(made)).to.deep.equal([0, 3_000]);
    expect(await charges()).to.deep.equal([['succeeded', 3_000]]);
    await advance('2030-05-01T00:00:00Z');
    expect(await totals(made)).to.deep.equal([0, 3_000, 3_000]);
  });

  it('bills a change once (killbill #154), and one after it from what was billed (#159)', async () => {
    await begin('2030-04-01T00:00:00Z');
    const made = await subscribe(3_000);
    const pro = await price(6_000);
    const top = await price(9_000);
    await advance('2030-04-16T00:00:00Z');
    await change(made, pro);
    await advance('2030-04-26T00:00:00Z');
    await change(made, top);
    await advance('2030-06-01T00:00:00Z');
    const [, second, third] = await invoices(made);
    expect(linesOf(second).map((line) => line['amount'])).to.have.members([
      9_000, -1_500, 3_000, -1_000, 1_500,
    ]);
    expect(second?.['total']).to.equal(11_000);
    expect(third?.['total']).to.equal(9_000);
  });

  it('gives back after a change and a cancellation what was billed, once (killbill #1505)', async () => {
    await begin('2030-04-01T00:00:00Z');
    const made = await subscribe(3_000);
    const pro = await price(6_000);
    await advance('2030-04-16T00:00:00Z');
    await change(made, pro, { proration_behavior: 'always_invoice' });
    await advance('2030-04-26T00:00:00Z');
    expect((await endNow(made))['status']).to.equal('canceled');
    expect(await totals(made)).to.deep.equal([3_000, 1_500, -1_000]);
  });

  it('bills each local evening in New York once, on a daily plan (killbill #2005)', async () => {
    await begin('2030-01-01T01:30:00Z');
    const zone = { billing_timezone: 'America/New_York' };
    const made = await subscribe(100, zone, 'day');
    await advance('2030-01-04T01:30:00Z');
    expect((await invoices(made)).map((each) => each['period_start'])).to.deep.equal([
      '2030-01-01T01:30:00.000Z',
      '2030-01-02T01:30:00.000Z',
      '2030-01-03T01:30:00.000Z',
      '2030-01-04T01:30:00.000Z',
    ]);
  });

  it('bills no day in both invoices of an upgrade (lago PR 1695)', async () => {
    await begin('2030-04-01T00:00:00Z');
    const made = await subscribe(3_000);
    const yearly = await price(36_500, 'year');
    await advance('2030-04-16T00:00:00Z');
    const upgraded = await change(made, yearly);
    expect(upgraded).to.include({
      current_period_start: '2030-04-16T00:00:00.000Z',
      current_period_end: '2031-04-16T00:00:00.000Z',
    });
    const [, second] = await invoices(made);
    const lines = linesOf(second).map(({ amount, period }) => [amount, period]);
    expect(lines).to.deep.equal([
      [-1_500, { start: '2030-04-16T00:00:00.000Z', end: '2030-05-01T00:00:00.000Z' }],
      [36_500, { start: '2030-04-16T00:00:00.000Z', end: '2031-04-16T00:00:00.000Z' }],
    ]);
  });

  it('ends at the period end of the zone, across a change of the clocks (lago PR 1179)', async () => {
    await begin('2030-02-15T05:00:00Z');
    const zone = { billing_timezone: 'America/New_York', cancel_at_period_end: true };
    const made = await subscribe(1_000, zone);
    await advance('2030-03-15T04:00:00Z');
    expect(await read(made)).to.include({
      status: 'canceled',
      ended_at: '2030-03-15T04:00:00.000Z',
    });
    expect(await totals(made)).to.deep.equal([1_000]);
  });

  it('sells and charges once for one Idempotency-Key, and pays an invoice once without (flexprice PR 2370, lago PR 1086)', async () => {
    await begin('2030-04-01T00:00:00Z');
    const items = [{ price: await price(1_000) }];
    const create = () =>
      postJson(
        `${app.url}/v1/subscriptions`,
        { customer, items },
        { key: app.secretKey, headers: { 'idempotency-key': `sell-${customer}` } },
      );
    const first = await create();
    const again = await create();
    expect([first.status, again.text]).to.deep.equal([200, first.text]);
    expect(await charges()).to.deep.equal([['succeeded', 1_000]]);
    const open = await shop.make('/v1/subscriptions', {
      customer,
      items,
      payment_behavior: 'default_incomplete',
    });
    const pay = () => shop.post(`/v1/invoices/${String(open['latest_invoice'])}/pay`);
    const answers = await Promise.all([pay(), pay(), pay()]);
    expect(answers.filter(({ status }) => status === 200)).to.have.length(1);
    expect(await charges()).to.deep.equal([
      ['succeeded', 1_000],
      ['succeeded', 1_000],
    ]);
  });

  it('bills nothing for a trial that was canceled (flexprice PR 1876)', async () => {
    await begin('2030-04-01T00:00:00Z');
    const made = await subscribe(1_000, { trial_period_days: 14 });
    await advance('2030-04-05T00:00:00Z');
    await endNow(made);
    await advance('2030-06-01T00:00:00Z');
    expect(await totals(made)).to.deep.equal([0]);
    expect(await charges()).to.deep.equal([]);
  });

  it('computes the credit of a downgrade from the old price', async () => {
    await begin('2030-04-01T00:00:00Z');
    const made = await subscribe(6_000);
    const basic = await price(3_000);
    await advance('2030-04-16T00:00:00Z');
    await change(made, basic);
    await advance('2030-05-01T00:00:00Z');
    // 3,000 back, 1,500 for the rest of April, and May.
    expect(await totals(made)).to.deep.equal([6_000, 1_500]);
  });

  it('gives nothing back for periods that have not begun (erpnext PR 49635)', async () => {
    await begin('2030-04-01T00:00:00Z');
    const made = await subscribe(6_000, { trial_period_days: 14 });
    const basic = await price(3_000);
    await advance('2030-04-05T00:00:00Z');
    await change(made, basic, { proration_behavior: 'always_invoice' });
    await advance('2030-04-15T00:00:00Z');
    expect(await totals(made)).to.deep.equal([0, 3_000]);
  });

  it('begins on the local date between the midnights of UTC and the zone', async () => {
    await begin('2030-03-01T02:00:00Z');
    const made = await subscribe(1_000, { billing_timezone: 'America/New_York' });
    // From 28 February to 28 March, 21:00 in New York.
    expect(made).to.include({
      current_period_start: '2030-03-01T02:00:00.000Z',
      current_period_end: '2030-03-29T01:00:00.000Z',
    });
  });
});
