import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { ask } from '../support/ask.ts';
import { SubscriptionSetup } from '../support/subscription-setup.ts';

const START = '2030-01-31T12:00:00.000Z';

type Json = Readonly<Record<string, unknown>>;

describe('The money of subscriptions', () => {
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
  const advance = (to: string) => shop.advance(clock, new Date(to).toISOString());
  const refusal = (path: string, body: object) => shop.refusal(path, body);

  const itemOf = (subscription: Json): string =>
    String((subscription['items'] as { data: Json[] }).data[0]?.['id']);
  const paymentsOf = async (id: unknown) =>
    (await invoicesOf(id)).map((each) => [
      each['status'],
      each['amount_due'],
      each['attempt_count'],
    ]);
  const balance = async () => (await shop.read(`/v1/customers/${customer}`))['balance'];
  const methodOf = async (invoice: Json | undefined) =>
    (await shop.read(`/v1/charges/${String(invoice?.['charge'])}`))['payment_method'];

  it('charges what the subscription names, whoever asks for it', async () => {
    const method = await attach('pm_card_mastercard');
    const made = await subscribe({ default_payment_method: method });
    expect(await methodOf((await invoicesOf(made['id']))[0])).to.equal(method);
    const declined = await attach('pm_card_visa_chargeDeclined');
    const path = `/v1/subscriptions/${String(made['id'])}`;
    await shop.make(path, { default_payment_method: declined });
    await advance('2030-02-28T12:00:00Z');
    const [, failed] = await invoicesOf(made['id']);
    expect(await methodOf(failed)).to.equal(declined);
    expect(await refusal(`/v1/invoices/${String(failed?.['id'])}/pay`, {})).to.deep.equal([
      402,
      'card_declined',
      undefined,
    ]);
    const [, again] = await invoicesOf(made['id']);
    expect(await methodOf(again)).to.equal(declined);
  });

  it('does not try a card again at once that the invoice itself names', async () => {
    const made = await subscribe();
    const path = `/v1/subscriptions/${String(made['id'])}`;
    await shop.make(path, {
      pause_collection: { behavior: 'keep_as_draft', resumes_at: '2030-03-15T12:00:00Z' },
    });
    await advance('2030-03-01T12:00:00Z');
    const [, draft] = await invoicesOf(made['id']);
    const stolen = await attach('pm_card_visa_chargeDeclinedStolenCard');
    await shop.make(`/v1/invoices/${String(draft?.['id'])}`, { default_payment_method: stolen });
    await advance('2030-03-20T12:00:00Z');
    expect((await paymentsOf(made['id']))[1]).to.deep.equal(['open', 1_000, 1]);
    expect((await read(made['id']))['dunning']).to.deep.include({ next_attempt_at: null });
  });

  it('goes on when the invoice was marked as uncollectible: it is not due any more', async () => {
    const made = await subscribe();
    await useCard('pm_card_visa_chargeDeclinedInsufficientFunds');
    await advance('2030-02-28T12:00:00Z');
    const [, failed] = await invoicesOf(made['id']);
    await shop.make(`/v1/invoices/${String(failed?.['id'])}/mark_uncollectible`);
    await advance('2030-03-20T12:00:00Z');
    expect(await read(made['id'])).to.include({ status: 'active', period_index: 1 });
  });

  it('gives back nothing for time that was not paid', async () => {
    const made = await subscribe({
      collection_method: 'send_invoice',
      days_until_due: 14,
      cancel_at: '2030-02-14T12:00:00Z',
      proration_behavior: 'always_invoice',
    });
    await advance('2030-02-20T12:00:00Z');
    expect(await read(made['id'])).to.include({ status: 'canceled' });
    expect((await invoicesOf(made['id'])).map((each) => each['status'])).to.deep.equal(['void']);
    expect(await balance()).to.equal(0);
    const other = await subscribe({ collection_method: 'send_invoice', days_until_due: 14 });
    const asked = await ask(`${app.url}/v1/subscriptions/${String(other['id'])}?prorate=true`, {
      key: app.secretKey,
      method: 'DELETE',
    });
    expect(asked.json['error']).to.deep.include({ code: 'subscription_unpaid', param: 'prorate' });
  });

  it('pays a credit that waits for a subscription that has ended on the next invoice', async () => {
    const made = await subscribe();
    await advance('2030-02-14T12:00:00Z');
    const path = `${app.url}/v1/subscriptions/${String(made['id'])}?prorate=true`;
    const ended = await ask(path, { key: app.secretKey, method: 'DELETE' });
    expect(ended.json).to.include({ status: 'canceled' });
    const made2 = await shop.make('/v1/invoices', {
      customer,
      currency: 'eur',
      pending_invoice_items_behavior: 'include',
    });
    expect(made2).to.include({ total: -500 });
    await shop.make(`/v1/invoices/${String(made2['id'])}/finalize`);
    expect(await balance()).to.equal(-500);
  });

  it('bills the drafts of a pause when it is ended by hand, the oldest first', async () => {
    const made = await subscribe();
    const path = `/v1/subscriptions/${String(made['id'])}`;
    await shop.make(path, { pause_collection: { behavior: 'keep_as_draft' } });
    await advance('2030-04-01T12:00:00Z');
    await shop.make(path, { pause_collection: '' });
    await advance('2030-04-02T12:00:00Z');
    expect(await paymentsOf(made['id'])).to.deep.equal([
      ['paid', 1_000, 1],
      ['paid', 1_000, 1],
      ['paid', 1_000, 1],
    ]);
  });

  it('bills the drafts of a pause also if invoices became void after them', async () => {
    const made = await subscribe();
    const path = `/v1/subscriptions/${String(made['id'])}`;
    await shop.make(path, { pause_collection: { behavior: 'keep_as_draft' } });
    await advance('2030-03-01T12:00:00Z');
    await shop.make(path, { pause_collection: { behavior: 'void' } });
    await advance('2030-04-01T12:00:00Z');
    await shop.make(path, { pause_collection: '' });
    await advance('2030-04-02T12:00:00Z');
    expect((await paymentsOf(made['id'])).map(([status]) => status)).to.deep.equal([
      'paid',
      'paid',
      'void',
    ]);
  });

  it('leaves what waits, and the balance, where nobody has to pay', async () => {
    await shop.make(`/v1/customers/${customer}/balance_transactions`, {
      amount: -300,
      currency: 'eur',
    });
    const made = await subscribe({ trial_period_days: 7 });
    expect(await balance()).to.equal(-300);
    const path = `/v1/subscriptions/${String(made['id'])}`;
    await shop.make(path, { pause_collection: { behavior: 'void' } });
    await shop.make('/v1/invoiceitems', { customer, amount: 5_000, currency: 'eur' });
    await advance('2030-02-07T12:00:00Z');
    expect(
      (await invoicesOf(made['id'])).map((each) => [each['status'], each['total']]),
    ).to.deep.equal([
      ['paid', 0],
      ['void', 1_000],
    ]);
    expect(await balance()).to.equal(-300);
    const waiting = await shop.read(`/v1/invoiceitems?customer=${customer}&pending=true`);
    expect(waiting['data']).to.have.length(1);
  });

  it('makes a price together with its item', async () => {
    const product = await shop.make('/v1/products', { name: 'Gold' });
    const price_data = {
      currency: 'eur',
      product: product['id'],
      unit_amount: 700,
      recurring: { interval: 'month' },
    };
    const details = { items: [{ price_data, quantity: 2 }] };
    const shown = await shop.make('/v1/invoices/create_preview', {
      customer,
      subscription_details: details,
    });
    expect(shown).to.include({ total: 1_400 });
    const made = await subscribe(details);
    expect((await invoicesOf(made['id']))[0]).to.include({ total: 1_400, status: 'paid' });
  });

  it('takes of what waits only as much as an invoice can ask for', async () => {
    const made = await subscribe();
    for (const amount of [99_000_000, 50_000_000, 100]) {
      await shop.make('/v1/invoiceitems', { customer, amount, currency: 'eur' });
    }
    await advance('2030-02-28T12:00:00Z');
    const [, renewal] = await invoicesOf(made['id']);
    expect(renewal).to.include({ total: 99_001_100, status: 'paid' });
    const waiting = await shop.read(`/v1/invoiceitems?customer=${customer}&pending=true`);
    expect((waiting['data'] as Json[]).map((each) => each['amount'])).to.deep.equal([50_000_000]);
  });

  it('lets a customer without a card leave, whatever is to be invoiced then', async () => {
    const made = await subscribe();
    const pro = await newPrice(3_000);
    await advance('2030-02-14T12:00:00Z');
    const path = `/v1/subscriptions/${String(made['id'])}`;
    await shop.make(path, { items: [{ id: itemOf(made), price: pro }] });
    await shop.make(`/v1/customers/${customer}`, {
      invoice_settings: { default_payment_method: '' },
    });
    const ended = await ask(`${app.url}${path}?invoice_now=true`, {
      key: app.secretKey,
      method: 'DELETE',
    });
    expect(ended.json).to.include({ status: 'canceled' });
    expect((await paymentsOf(made['id']))[1]).to.deep.equal(['open', 1_000, 1]);
  });
});
