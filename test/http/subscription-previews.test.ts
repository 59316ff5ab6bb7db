import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { SubscriptionSetup } from '../support/subscription-setup.ts';

const START = '2030-01-31T12:00:00.000Z';

type Json = Readonly<Record<string, unknown>>;

describe('Previews, items and balances of subscriptions', () => {
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
  const invoicesOf = (id: unknown) => shop.invoicesOf(id);
  const advance = (to: string) => shop.advance(clock, new Date(to).toISOString());
  const refusal = (path: string, body: object) => shop.refusal(path, body);

  const linesOf = (invoice: Json): readonly (readonly unknown[])[] =>
    (invoice['lines'] as { data: Json[] }).data.map((line) => [
      line['description'],
      line['amount'],
    ]);
  const itemOf = (subscription: Json): string =>
    String((subscription['items'] as { data: Json[] }).data[0]?.['id']);
  const preview = (body: object): Promise<Json> => shop.make('/v1/invoices/create_preview', body);

  it('previews what the next period costs, and keeps nothing of it', async () => {
    const made = await subscribe();
    const shown = await preview({ subscription: made['id'] });
    expect(shown).to.deep.include({
      object: 'invoice',
      status: 'draft',
      number: null,
      billing_reason: 'subscription_cycle',
      subscription: made['id'],
      amount_due: 1_000,
      period_start: '2030-02-28T12:00:00.000Z',
    });
    expect(String(shown['id'])).to.match(/^upcoming_in_/);
    expect(await invoicesOf(made['id'])).to.have.length(1);
    await advance('2030-02-28T12:00:00Z');
    const [first, billed] = await invoicesOf(made['id']);
    expect(linesOf(billed as Json)).to.deep.equal(linesOf(shown));
    expect(billed).to.include({ total: 1_000 });
    const numbers = [first, billed].map((each) => Number(String(each?.['number']).slice(4)));
    expect(numbers[1]).to.equal(Number(numbers[0]) + 1);
  });

  it('previews a change to the line, for the next invoice and at once', async () => {
    const made = await subscribe();
    const pro = await newPrice(3_000);
    await advance('2030-02-14T12:00:00Z');
    const items = [{ id: itemOf(made), price: pro, quantity: 2 }];
    const change = (proration_behavior: string) =>
      preview({
        subscription: made['id'],
        subscription_details: { items, proration_behavior },
      });
    const prorations = [
      ['Unused time on Basic after 14 Feb 2030', -500],
      ['Remaining time on 2 × Basic after 14 Feb 2030', 3_000],
    ];
    const atOnce = await change('always_invoice');
    expect(linesOf(atOnce)).to.deep.equal(prorations);
    expect(atOnce['total']).to.equal(2_500);
    const next = await change('create_prorations');
    expect(linesOf(next)).to.deep.equal([
      ['2 × Basic (at 30.00 EUR / month)', 6_000],
      ...prorations,
    ]);
    expect(next['total']).to.equal(8_500);
    const ended = await preview({
      subscription: made['id'],
      subscription_details: { cancel_now: true, proration_behavior: 'create_prorations' },
    });
    expect(ended['total']).to.equal(-500);
    const again = await shop.read(`/v1/subscriptions/${String(made['id'])}`);
    expect(again).to.include({ status: 'active', period_index: 0 });
    expect(again['items']).to.deep.equal(made['items']);
  });

  it('previews a new subscription, and refuses where nothing will be billed', async () => {
    const shown = await preview({
      customer,
      subscription_details: { items: [{ price, quantity: 3 }] },
    });
    expect(shown).to.include({ billing_reason: 'subscription_create', total: 3_000 });
    const path = '/v1/invoices/create_preview';
    expect(await refusal(path, { customer })).to.deep.equal([
      400,
      'parameter_missing',
      'subscription',
    ]);
    const made = await subscribe();
    await shop.make(`/v1/subscriptions/${String(made['id'])}`, { cancel_at_period_end: true });
    expect(await refusal(path, { subscription: made['id'] })).to.deep.equal([
      404,
      'invoice_upcoming_none',
      undefined,
    ]);
  });

  it('adds, changes and removes items one by one', async () => {
    const made = await subscribe();
    const extra = await newPrice(500);
    const subscription = String(made['id']);
    const added = await shop.make('/v1/subscription_items', {
      subscription,
      price: extra,
      quantity: 2,
    });
    expect(added).to.deep.include({ object: 'subscription_item', subscription, quantity: 2 });
    const path = `/v1/subscription_items/${String(added['id'])}`;
    expect(await shop.make(path, { quantity: 5 })).to.include({ id: added['id'], quantity: 5 });
    expect(await shop.read(path)).to.include({ quantity: 5 });
    const listed = await shop.read(`/v1/subscription_items?subscription=${subscription}&limit=1`);
    expect(listed).to.include({ has_more: true });
    const removed = await shop.delete(path);
    expect(removed.json).to.deep.equal({
      id: added['id'],
      object: 'subscription_item',
      deleted: true,
    });
    expect((await shop.get(path)).status).to.equal(404);
    // Everything happened in one second, so it adds up to nothing.
    await advance('2030-02-28T12:00:00Z');
    const [, renewal] = await invoicesOf(made['id']);
    expect(renewal).to.include({ total: 1_000 });
  });

  it('takes the balance of the customer, gives it back if the invoice is void, and keeps credits', async () => {
    const balance = async () => (await shop.read(`/v1/customers/${customer}`))['balance'];
    await shop.make(`/v1/customers/${customer}/balance_transactions`, {
      amount: -300,
      currency: 'eur',
    });
    const made = await subscribe();
    const [first] = await invoicesOf(made['id']);
    expect(first).to.include({
      starting_balance: -300,
      ending_balance: 0,
      amount_due: 700,
      status: 'paid',
    });
    expect(await balance()).to.equal(0);
    const path = `/v1/customers/${customer}/balance_transactions`;
    const { data } = await shop.read(path);
    expect((data as Json[])[0]).to.include({
      amount: 300,
      type: 'applied_to_invoice',
      invoice: first?.['id'],
    });
    // Downgrade in the middle of the period: the credit is kept.
    await advance('2030-02-14T12:00:00Z');
    const small = await newPrice(100);
    const changed = await shop.make(`/v1/subscriptions/${String(made['id'])}`, {
      items: [{ id: itemOf(made), price: small }],
      proration_behavior: 'always_invoice',
    });
    expect(await shop.read(`/v1/invoices/${String(changed['latest_invoice'])}`)).to.include({
      total: -450,
      amount_due: 0,
      status: 'paid',
      ending_balance: -450,
    });
    expect(await balance()).to.equal(-450);
    await shop.make(`/v1/customers/${customer}/balance_transactions`, {
      amount: 460,
      currency: 'eur',
    });
    const other = await subscribe({ payment_behavior: 'default_incomplete' });
    expect(await balance()).to.equal(0);
    await shop.make(`/v1/invoices/${String(other['latest_invoice'])}/void`);
    expect(await balance()).to.equal(10);
    expect(await shop.read(`/v1/subscriptions/${String(other['id'])}`)).to.include({
      status: 'incomplete_expired',
    });
  });
});
