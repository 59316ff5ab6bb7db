import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { query } from '../support/database.ts';
import { SubscriptionSetup } from '../support/subscription-setup.ts';

const START = '2030-01-31T12:00:00.000Z';

type Json = Readonly<Record<string, unknown>>;

describe('Subscriptions by bank debit', () => {
  let app: TestApp;
  let shop: SubscriptionSetup;
  let clock: string;
  let customer: string;
  let price: string;
  /** Its default payment method. */
  let account: string;
  before(async () => {
    app = await startApp();
    shop = new SubscriptionSetup(app);
  });
  after(() => app.close());
  beforeEach(async () => {
    clock = await shop.clock(START);
    customer = String((await shop.make('/v1/customers', { test_clock: clock, name: 'Ada' }))['id']);
    await useAccount('btok_us');
    price = await newPrice(1_000);
  });

  async function useAccount(token: string): Promise<void> {
    const method = await shop.make('/v1/payment_methods', {
      type: 'us_bank_account',
      us_bank_account: { token },
      billing_details: { name: 'Ada' },
      mandate_data: { customer_acceptance: { type: 'offline' } },
    });
    account = String(method['id']);
    await shop.make(`/v1/payment_methods/${account}/attach`, { customer });
    await shop.useMethod(customer, account);
  }
  const newPrice = (amount: number, more: object = {}) =>
    shop.newPrice(amount, { currency: 'usd', ...more });
  const subscribe = (more: object = {}): Promise<Json> =>
    shop.make('/v1/subscriptions', { customer, items: [{ price }], ...more });
  const read = (id: unknown) => shop.subscription(id);
  const invoicesOf = (id: unknown) => shop.invoicesOf(id);
  const eventsOf = async (id: unknown): Promise<readonly unknown[]> =>
    (await shop.eventsOf(String(id))).map((event) => event.split(' ')[0]);
  const advance = (to: string) => shop.advance(clock, new Date(to).toISOString());

  it('is active while a debit is on its way, and renewed when it has cleared', async () => {
    const made = await subscribe();
    expect(made['status']).to.equal('active');
    expect((await invoicesOf(made['id']))[0]).to.include({ status: 'open', attempt_count: 1 });
    await advance('2030-02-28T12:00:00Z');
    expect((await invoicesOf(made['id'])).map((each) => each['status'])).to.deep.equal([
      'paid',
      'open',
    ]);
    expect(await eventsOf(made['id'])).to.deep.equal(['subscription.created']);
    expect(await read(made['id'])).to.include({ status: 'active', period_index: 1 });
    await advance('2030-03-15T12:00:00Z');
    expect((await invoicesOf(made['id'])).map((each) => each['status'])).to.deep.equal([
      'paid',
      'paid',
    ]);
    expect(await eventsOf(made['id'])).to.deep.equal([
      'subscription.created',
      'subscription.renewed',
    ]);
  });

  it('is past due when a debit returns, and debits again only for want of funds', async () => {
    const made = await subscribe();
    await useAccount('btok_us_insufficientFunds');
    await advance('2030-03-02T12:00:00Z');
    expect(await read(made['id'])).to.include({ status: 'active', period_index: 1 });
    await advance('2030-03-06T12:00:00Z');
    const failed = await read(made['id']);
    expect(failed['status']).to.equal('past_due');
    expect(failed['dunning']).to.deep.include({ attempt: 1, max_attempts: 3 });
    expect(await eventsOf(made['id'])).to.deep.equal([
      'subscription.created',
      'subscription.payment_failed',
    ]);
    await useAccount('btok_us');
    await advance('2030-03-06T13:00:00Z');
    // Another debit is on its way, so the invoice can be neither paid nor voided.
    const ended = await shop.delete(`/v1/subscriptions/${String(made['id'])}?prorate=true`);
    expect((ended.json['error'] as Json)['message']).to.equal(
      `Subscription ${String(made['id'])} is past_due: the invoice of its current period is not paid. Try again when the outcome of its charge is known, or send prorate=false.`,
    );
    await advance('2030-03-20T12:00:00Z');
    expect(await read(made['id'])).to.include({ status: 'active' });
    expect((await eventsOf(made['id'])).at(-1)).to.equal('subscription.recovered');
  });

  it('keeps a debit of time that was used before the end', async () => {
    price = await newPrice(1_000, { recurring: { interval: 'day' } });
    const made = await subscribe();
    await advance('2030-02-02T13:00:00Z');
    await shop.make(`/v1/subscriptions/${String(made['id'])}`, { cancel_at_period_end: true });
    await advance('2030-02-20T12:00:00Z');
    expect(await read(made['id'])).to.include({ status: 'canceled' });
    const invoices = await invoicesOf(made['id']);
    expect(invoices.map(({ status }) => status)).to.deep.equal(['paid', 'paid', 'paid']);
    const list = await shop.read(`/v1/charges?customer=${customer}`);
    const charges = list['data'] as Json[];
    expect(charges.map((charge) => charge['amount_refunded'])).to.deep.equal([0, 0, 0]);
  });

  it('gives back a debit that clears after the subscription has ended', async () => {
    await query(app.databaseUrl, `UPDATE paymount.accounts SET email = 'owner@shop.example'`);
    const made = await subscribe();
    await advance('2030-02-28T12:00:00Z');
    const ended = await shop.delete(`/v1/subscriptions/${String(made['id'])}`);
    expect(ended.json).to.include({ status: 'canceled' });
    expect((await invoicesOf(made['id'])).map((each) => each['status'])).to.deep.equal([
      'paid',
      'open',
    ]);
    await advance('2030-04-20T12:00:00Z');
    const [, last] = await invoicesOf(made['id']);
    expect(last).to.include({ status: 'paid' });
    const charge = await shop.read(`/v1/charges/${String(last?.['charge'])}?expand[]=refunds`);
    expect(charge).to.include({ amount_refunded: 1_000, refunded: true });
    const { data } = charge['refunds'] as { data: Json[] };
    expect(data[0]?.['metadata']).to.deep.equal({
      invoice: last?.['id'],
      reason: 'subscription_ended',
      subscription: made['id'],
    });
    const [returned] = await query<{ source: string; request_id: string | null }>(
      app.databaseUrl,
      `SELECT source, request_id FROM paymount.events
        WHERE object_id = $1 AND type = 'charge.refunded'`,
      [charge['id']],
    );
    expect(returned).to.deep.equal({ source: 'scheduler', request_id: null });
    const mails = await query<{ subject: string; body: string; page: string }>(
      app.databaseUrl,
      `SELECT subject, text AS body, page FROM paymount.mails WHERE dedupe_key LIKE $1`,
      [`%${String(last?.['id'])}%`],
    );
    expect(mails.map(({ subject }) => subject)).to.deep.equal([
      'A test payment given back: 10.00 USD',
    ]);
    expect(mails[0]?.body).to.include(`Subscription: ${String(made['id'])}`);
    expect(mails[0]?.page).to.equal(`${app.account}/test/charges/${String(charge['id'])}`);
  });

  it('gives back a debit for an uncollectible invoice that clears after the end', async () => {
    const made = await subscribe({ collection_method: 'send_invoice', days_until_due: 30 });
    const path = `/v1/invoices/${String((await invoicesOf(made['id']))[0]?.['id'])}`;
    await shop.make(`${path}/mark_uncollectible`);
    await shop.make(`${path}/pay`);
    await shop.delete(`/v1/subscriptions/${String(made['id'])}`);
    await advance('2030-02-20T12:00:00Z');
    expect(await shop.read(`/v1/charges/${String((await shop.read(path))['charge'])}`)).to.include({
      status: 'succeeded',
      amount_refunded: 1_000,
    });
  });

  it('gives back a debit that clears after a trial ended without a payment method', async () => {
    const made = await subscribe();
    await shop.make(`/v1/subscriptions/${String(made['id'])}`, {
      trial_end: '2030-02-02T12:00:00Z',
      proration_behavior: 'none',
      trial_settings: { end_behavior: { missing_payment_method: 'cancel' } },
    });
    await shop.make(`/v1/payment_methods/${account}/detach`);
    await advance('2030-02-03T12:00:00Z');
    expect(await read(made['id'])).to.include({ status: 'canceled' });
    await advance('2030-02-20T12:00:00Z');
    const [first] = await invoicesOf(made['id']);
    expect(await shop.read(`/v1/charges/${String(first?.['charge'])}`)).to.include({
      status: 'succeeded',
      amount_refunded: 1_000,
    });
  });

  it('voids the invoice of a debit that returns after the subscription has ended', async () => {
    const made = await subscribe();
    await useAccount('btok_us_insufficientFunds');
    await advance('2030-02-28T12:00:00Z');
    await shop.delete(`/v1/subscriptions/${String(made['id'])}`);
    await advance('2030-03-20T12:00:00Z');
    expect((await invoicesOf(made['id'])).map((each) => each['status'])).to.deep.equal([
      'paid',
      'void',
    ]);
  });

  it('collects every debit that returned, one after the other', async () => {
    price = await newPrice(1_000, { recurring: { interval: 'day' } });
    const made = await subscribe();
    await useAccount('btok_us_insufficientFunds');
    await advance('2030-02-05T14:00:00Z');
    const failed = await read(made['id']);
    expect(failed['status']).to.equal('past_due');
    const open = (await invoicesOf(made['id'])).filter((each) => each['status'] === 'open');
    expect(open.length).to.be.greaterThan(3);
    await useAccount('btok_us');
    // Each clears after four banking days; then the next one is debited.
    await advance('2030-03-12T12:00:00Z');
    const after = new Map(
      (await invoicesOf(made['id'])).map((each) => [each['id'], each['status']]),
    );
    expect(open.map((each) => after.get(each['id']))).to.deep.equal(open.map(() => 'paid'));
    const events = await eventsOf(made['id']);
    const since = events.indexOf('subscription.payment_failed') + 1;
    // The first debit clears, the second was announced when it returned, and the last ends it.
    expect(events.slice(since, since + open.length - 2)).to.deep.equal([
      ...open.slice(3).map(() => 'subscription.renewed'),
      'subscription.recovered',
    ]);
  });

  describe('that return in a trial', () => {
    const inTrial = async (): Promise<Json> => {
      await useAccount('btok_us_insufficientFunds');
      const made = await subscribe();
      const path = `/v1/subscriptions/${String(made['id'])}`;
      await shop.make(path, { trial_end: '2030-02-20T12:00:00Z', proration_behavior: 'none' });
      await advance('2030-02-19T12:00:00Z');
      expect((await read(made['id']))['status']).to.equal('trialing');
      expect((await invoicesOf(made['id']))[0]).to.include({ status: 'open', attempt_count: 1 });
      return made;
    };
    const useCard = async (card: string) =>
      shop.useMethod(customer, await shop.attach(customer, card));

    it('are collected again when it has ended', async () => {
      const made = await inTrial();
      await useCard('pm_card_visa');
      await advance('2030-02-21T12:00:00Z');
      const paid = (await invoicesOf(made['id'])).map((each) => [
        each['status'],
        each['attempt_count'],
      ]);
      expect(paid).to.deep.equal([
        ['paid', 2],
        ['paid', 1],
      ]);
    });

    it('are in dunning when it has ended, also by request', async () => {
      const made = await inTrial();
      await useCard('pm_card_visa_chargeDeclinedInsufficientFunds');
      await shop.make(`/v1/subscriptions/${String(made['id'])}`, { trial_end: 'now' });
      await advance('2030-02-20T12:00:00Z');
      expect((await read(made['id']))['status']).to.equal('past_due');
      await useCard('pm_card_visa');
      await advance('2030-02-21T14:00:00Z');
      expect((await invoicesOf(made['id'])).map((each) => each['status'])).to.deep.equal([
        'paid',
        'paid',
      ]);
      expect((await eventsOf(made['id'])).slice(-2)).to.deep.equal([
        'subscription.payment_failed',
        'subscription.recovered',
      ]);
    });
  });

  it('learns of a charge that the previous version recorded without its invoice', async () => {
    const made = await subscribe();
    const [first] = await invoicesOf(made['id']);
    // As a process does that knows of no invoices.
    await query(
      app.databaseUrl,
      `UPDATE paymount.charges SET invoice_id = NULL WHERE id = '${String(first?.['charge'])}'`,
    );
    expect(first).to.include({ status: 'open' });
    await advance('2030-02-10T12:00:00Z');
    // The worker looks for such results after the clock has advanced, or at the same time.
    await app.worker.drain();
    expect((await invoicesOf(made['id']))[0]).to.include({ status: 'paid' });
  });
});
