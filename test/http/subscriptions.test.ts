import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { SubscriptionSetup } from '../support/subscription-setup.ts';

const START = '2030-01-31T12:00:00.000Z';

type Json = Readonly<Record<string, unknown>>;

describe('Subscriptions', () => {
  let app: TestApp;
  let shop: SubscriptionSetup;
  let clock: string;
  let customer: string;
  let price: string;
  before(async () => {
    app = await startApp();
    shop = new SubscriptionSetup(app);
  });
  after(() => app.close());
  beforeEach(async () => {
    clock = await shop.clock(START);
    customer = String((await shop.make('/v1/customers', { test_clock: clock, name: 'Ada' }))['id']);
    await useCard('pm_card_visa');
    price = await newPrice(1_000);
  });

  const attach = (card: string) => shop.attach(customer, card);
  const useCard = async (card: string) => shop.useMethod(customer, await attach(card));
  const newPrice = (amount: number, more: object = {}) => shop.newPrice(amount, more);
  const subscribe = (more: object = {}): Promise<Json> =>
    shop.make('/v1/subscriptions', { customer, items: [{ price }], ...more });
  const read = (id: unknown) => shop.subscription(id);
  const invoicesOf = (id: unknown) => shop.invoicesOf(id);
  const eventsOf = async (id: unknown): Promise<readonly unknown[]> =>
    (await shop.eventsOf(String(id))).map((event) => event.split(' ')[0]);
  const advance = (to: string) => shop.advance(clock, new Date(to).toISOString());
  const refusal = (path: string, body: object) => shop.refusal(path, body);

  it('charges a customer now and every month, and says so', async () => {
    const made = await subscribe();
    expect(made).to.deep.include({
      object: 'subscription',
      status: 'active',
      customer,
      currency: 'eur',
      current_period_start: START,
      current_period_end: '2030-02-28T12:00:00.000Z',
      period_index: 0,
    });
    await advance('2030-03-31T13:00:00Z');
    const renewed = await read(made['id']);
    expect(renewed).to.deep.include({
      status: 'active',
      period_index: 2,
      current_period_start: '2030-03-31T12:00:00.000Z',
      current_period_end: '2030-04-30T12:00:00.000Z',
    });
    const invoices = await invoicesOf(made['id']);
    expect(
      invoices.map((each) => [each['status'], each['amount_due'], each['created']]),
    ).to.deep.equal([
      ['paid', 1_000, START],
      ['paid', 1_000, '2030-02-28T12:00:00.000Z'],
      ['paid', 1_000, '2030-03-31T12:00:00.000Z'],
    ]);
    expect(await eventsOf(made['id'])).to.deep.equal([
      'subscription.created',
      'subscription.renewed',
      'subscription.renewed',
    ]);
  });

  it('retries a failed renewal on its days, and recovers with another card', async () => {
    const made = await subscribe();
    await useCard('pm_card_visa_chargeDeclinedInsufficientFunds');
    await advance('2030-02-28T12:00:00Z');
    expect(await read(made['id'])).to.deep.include({
      status: 'past_due',
      period_index: 1,
      dunning: {
        attempt: 1,
        max_attempts: 5,
        next_attempt_at: '2030-03-01T12:00:00.000Z',
        last_failure_code: 'insufficient_funds',
      },
    });
    await advance('2030-03-01T12:00:00Z');
    expect((await read(made['id']))['dunning']).to.deep.include({
      attempt: 2,
      next_attempt_at: '2030-03-03T12:00:00.000Z',
    });
    await useCard('pm_card_visa');
    // A worker looks at it at once, and a clock when it advances.
    await advance('2030-03-02T12:00:00Z');
    expect(await read(made['id'])).to.deep.include({ status: 'active', dunning: null });
    const invoices = await invoicesOf(made['id']);
    expect(invoices.map((each) => [each['status'], each['attempt_count']])).to.deep.equal([
      ['paid', 1],
      ['paid', 3],
    ]);
    expect(await eventsOf(made['id'])).to.deep.equal([
      'subscription.created',
      'subscription.payment_failed',
      'subscription.recovered',
    ]);
    await advance('2030-03-31T12:00:00Z');
    expect(await read(made['id'])).to.include({ status: 'active', period_index: 2 });
  });

  it('gives up after the last day, and collects nothing after that', async () => {
    const made = await subscribe();
    await useCard('pm_card_visa_chargeDeclinedInsufficientFunds');
    await advance('2030-06-01T00:00:00Z');
    expect(await read(made['id'])).to.deep.include({
      status: 'canceled',
      period_index: 1,
      ended_at: '2030-03-07T12:00:00.000Z',
      cancellation_details: { reason: 'payment_failed', comment: null, feedback: null },
    });
    const invoices = await invoicesOf(made['id']);
    expect(invoices.map((each) => [each['status'], each['attempt_count']])).to.deep.equal([
      ['paid', 1],
      ['uncollectible', 5],
    ]);
    expect(await eventsOf(made['id'])).to.deep.equal([
      'subscription.created',
      'subscription.payment_failed',
      'subscription.canceled',
    ]);
  });

  it('counts a renewal without any payment method as failed, and ends it', async () => {
    const made = await subscribe();
    const settings = { invoice_settings: { default_payment_method: '' } };
    await shop.make(`/v1/customers/${customer}`, settings);
    await advance('2030-02-28T12:00:00Z');
    expect((await read(made['id']))['dunning']).to.deep.include({
      attempt: 1,
      next_attempt_at: null,
      last_failure_code: null,
    });
    await advance('2030-04-01T12:00:00Z');
    expect(await read(made['id'])).to.include({
      status: 'canceled',
      ended_at: '2030-03-07T12:00:00.000Z',
    });
  });

  it('begins with a trial, and charges at its end', async () => {
    const made = await subscribe({ trial_period_days: 14 });
    expect(made).to.include({
      status: 'trialing',
      trial_end: '2030-02-14T12:00:00.000Z',
      current_period_end: '2030-02-14T12:00:00.000Z',
    });
    await advance('2030-02-14T12:00:00Z');
    expect(await read(made['id'])).to.include({
      status: 'active',
      period_index: 1,
      current_period_end: '2030-03-14T12:00:00.000Z',
    });
    const invoices = await invoicesOf(made['id']);
    expect(invoices.map((each) => [each['amount_due'], each['charge'] !== null])).to.deep.equal([
      [0, false],
      [1_000, true],
    ]);
    expect(await eventsOf(made['id'])).to.deep.equal([
      'subscription.created',
      'subscription.renewed',
    ]);
  });

  it('stays incomplete until its first invoice is paid, and expires', async () => {
    const payment_behavior = 'default_incomplete';
    const made = await subscribe({ payment_behavior });
    expect(made['status']).to.equal('incomplete');
    const first = String(made['latest_invoice']);
    expect(await shop.read(`/v1/invoices/${first}`)).to.include({
      status: 'open',
      attempt_count: 0,
      billing_reason: 'subscription_create',
      subscription: made['id'],
    });
    await shop.make(`/v1/invoices/${first}/pay`);
    expect(await read(made['id'])).to.include({ status: 'active' });
    expect(await eventsOf(made['id'])).to.deep.equal(['subscription.created']);
    const other = await subscribe({ payment_behavior });
    await advance('2030-02-01T12:00:00Z');
    expect(await read(other['id'])).to.include({
      status: 'incomplete_expired',
      ended_at: '2030-02-01T11:00:00.000Z',
    });
    expect((await invoicesOf(other['id'])).map((each) => each['status'])).to.deep.equal(['void']);
    expect(await eventsOf(other['id'])).to.deep.equal([]);
  });

  it('answers a first charge that is declined as payment_behavior says', async () => {
    await useCard('pm_card_visa_chargeDeclined');
    const allowed = await shop.post('/v1/subscriptions', { customer, items: [{ price }] });
    expect([allowed.status, allowed.json['status']]).to.deep.equal([200, 'incomplete']);
    expect((await invoicesOf(allowed.json['id']))[0]).to.include({
      status: 'open',
      attempt_count: 1,
    });
    const strict = { customer, items: [{ price }], payment_behavior: 'error_if_incomplete' };
    expect(await refusal('/v1/subscriptions', strict)).to.deep.equal([
      402,
      'card_declined',
      undefined,
    ]);
    const { data } = await shop.read(`/v1/subscriptions?customer=${customer}&status=all`);
    const [last] = data as Json[];
    expect(last?.['status']).to.equal('incomplete_expired');
    expect((await invoicesOf(last?.['id']))[0]).to.include({ status: 'void' });
  });

  it('changes the price within a period, for the next invoice or at once', async () => {
    const made = await subscribe();
    const pro = await newPrice(3_000);
    const item = (made['items'] as { data: Json[] }).data[0]?.['id'];
    await advance('2030-02-14T12:00:00Z');
    const changed = await shop.make(`/v1/subscriptions/${String(made['id'])}`, {
      items: [{ id: item, price: pro }],
    });
    expect(changed).to.include({ status: 'active', period_index: 0 });
    const waiting = await shop.read(`/v1/invoiceitems?customer=${customer}&pending=true`);
    expect(
      (waiting['data'] as Json[])
        .map((each) => [each['description'], each['amount'], each['proration']])
        .toReversed(),
    ).to.deep.equal([
      ['Unused time on Basic after 14 Feb 2030', -500, true],
      ['Remaining time on Basic after 14 Feb 2030', 1_500, true],
    ]);
    await advance('2030-02-28T12:00:00Z');
    const invoices = await invoicesOf(made['id']);
    expect(invoices.map((each) => each['total'])).to.deep.equal([1_000, 4_000]);
    await advance('2030-03-31T12:00:00Z');
    const back = await shop.make(`/v1/subscriptions/${String(made['id'])}`, {
      items: [{ id: item, quantity: 2 }],
      proration_behavior: 'always_invoice',
    });
    const now = await shop.read(`/v1/invoices/${String(back['latest_invoice'])}`);
    expect(now).to.include({ billing_reason: 'subscription_update', total: 3_000, status: 'paid' });
  });

  it('ends at the period end, at a time, or now, and gives nothing back unless asked', async () => {
    const atEnd = await subscribe();
    await shop.make(`/v1/subscriptions/${String(atEnd['id'])}`, { cancel_at_period_end: true });
    const atTime = await subscribe({ cancel_at: '2030-02-10T12:00:00Z' });
    const now = await subscribe();
    const ended = await shop.delete(`/v1/subscriptions/${String(now['id'])}`);
    expect(ended.json).to.deep.include({
      status: 'canceled',
      ended_at: START,
      cancellation_details: { reason: 'cancellation_requested', comment: null, feedback: null },
    });
    expect(
      await refusal(`/v1/subscriptions/${String(now['id'])}`, { description: 'x' }),
    ).to.deep.equal([400, 'subscription_canceled', undefined]);
    await advance('2030-04-01T12:00:00Z');
    expect(await read(atEnd['id'])).to.include({
      status: 'canceled',
      ended_at: '2030-02-28T12:00:00.000Z',
    });
    expect(await read(atTime['id'])).to.include({
      status: 'canceled',
      ended_at: '2030-02-10T12:00:00.000Z',
    });
    for (const each of [atEnd, atTime, now]) {
      expect(await invoicesOf(each['id'])).to.have.length(1);
    }
  });

  it('makes a price together with its item, at the beginning and later', async () => {
    const product = (await shop.make('/v1/products', { name: 'Seats' }))['id'];
    const price_data = {
      product,
      currency: 'eur',
      unit_amount: 700,
      recurring: { interval: 'month' },
    };
    const sold = (subscription: Json) =>
      (subscription['items'] as { data: { price: Json; quantity: number }[] }).data.map((each) => [
        each.price['product'],
        each.price['unit_amount'],
        each.quantity,
      ]);
    const made = await subscribe({ items: [{ price_data, quantity: 2 }] });
    expect(sold(made)).to.deep.equal([[product, 700, 2]]);
    expect((await invoicesOf(made['id'])).map((each) => each['total'])).to.deep.equal([1_400]);
    const changed = await shop.make(`/v1/subscriptions/${String(made['id'])}`, {
      items: [{ price_data: { ...price_data, unit_amount: 900 } }],
    });
    expect(sold(changed)).to.deep.equal([
      [product, 700, 2],
      [product, 900, 1],
    ]);
    const prices = await shop.read(`/v1/prices?product=${String(product)}`);
    expect(prices['data']).to.have.length(2);
  });

  it('ends when its customer is deleted', async () => {
    const made = await subscribe();
    await shop.delete(`/v1/customers/${customer}`);
    await advance('2030-02-01T12:00:00Z');
    expect(await read(made['id'])).to.include({ status: 'canceled' });
  });

  it('makes invoices void while collection is paused, and charges again after that', async () => {
    const made = await subscribe();
    await shop.make(`/v1/subscriptions/${String(made['id'])}`, {
      pause_collection: { behavior: 'keep_as_draft', resumes_at: '2030-04-15T12:00:00Z' },
    });
    await advance('2030-04-01T12:00:00Z');
    const states = async () => (await invoicesOf(made['id'])).map((each) => each['status']);
    expect(await states()).to.deep.equal(['paid', 'draft', 'draft']);
    await advance('2030-04-30T12:00:00Z');
    expect(await states()).to.deep.equal(['paid', 'paid', 'paid', 'paid']);
    const numbers = (await invoicesOf(made['id'])).map((each) => String(each['number']));
    expect(numbers).to.deep.equal(numbers.toSorted());
  });
});
