import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { SubscriptionSetup } from '../support/subscription-setup.ts';

const START = '2030-01-31T12:00:00.000Z';
const MIDDLE = '2030-02-14T12:00:00Z';

type Json = Readonly<Record<string, unknown>>;

describe('Credits of subscriptions in a pause of collection', () => {
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
    price = await shop.newPrice(1_000);
  });

  const useCard = async (card: string) =>
    shop.useMethod(customer, await shop.attach(customer, card));
  const subscribe = (more: object = {}): Promise<Json> =>
    shop.make('/v1/subscriptions', { customer, items: [{ price }], ...more });
  const pathOf = ({ id }: Json): string => `/v1/subscriptions/${String(id)}`;
  const toQuantity = (subscription: Json, quantity: number, more: object = {}) => ({
    items: [{ id: itemOf(subscription), quantity }],
    ...more,
  });
  const itemOf = (subscription: Json): string =>
    String((subscription['items'] as { data: Json[] }).data[0]?.['id']);
  const advance = (to: string) => shop.advance(clock, new Date(to).toISOString());
  const balance = async () => (await shop.read(`/v1/customers/${customer}`))['balance'];
  const waiting = async () => {
    const { data } = await shop.read(`/v1/invoiceitems?customer=${customer}&pending=true`);
    return (data as Json[]).map(({ amount }) => amount);
  };
  const invoiceOf = async (subscription: Json, at: number): Promise<string> =>
    `/v1/invoices/${String((await shop.invoicesOf(subscription['id'])).at(at)?.['id'])}`;
  const totalsOf = async ({ id }: Json) =>
    (await shop.invoicesOf(id)).map(({ status, total }) => [status, total]);

  describe('while invoices become void', () => {
    const paused = async (): Promise<Json> => {
      await useCard('pm_card_visa');
      const made = await subscribe();
      await shop.make(pathOf(made), { pause_collection: { behavior: 'void' } });
      return made;
    };

    it('wait for the next invoice when a new period begins', async () => {
      const made = await paused();
      await advance(MIDDLE);
      const recurring = { interval: 'year' };
      const yearly = await shop.newPrice(12_000, { recurring });
      await shop.make(pathOf(made), { items: [{ id: itemOf(made), price: yearly }] });
      expect(await totalsOf(made)).to.deep.equal([
        ['paid', 1_000],
        ['void', 12_000],
      ]);
      expect(await waiting()).to.deep.equal([-500]);
    });

    it('wait, also if the invoice is uncollectible first and becomes void by hand', async () => {
      const made = await paused();
      await shop.make(pathOf(made), { pause_collection: { behavior: 'mark_uncollectible' } });
      await advance(MIDDLE);
      await shop.make(pathOf(made), { billing_cycle_anchor: 'now' });
      await shop.make(`${await invoiceOf(made, 1)}/void`);
      expect(await totalsOf(made)).to.deep.equal([
        ['paid', 1_000],
        ['void', 1_000],
      ]);
      expect(await waiting()).to.deep.equal([-500]);
    });

    it('are added to the balance as it is', async () => {
      await shop.make(`/v1/customers/${customer}/balance_transactions`, {
        amount: -500,
        currency: 'eur',
      });
      const made = await paused();
      await shop.make(`/v1/customers/${customer}/balance_transactions`, {
        amount: -200,
        currency: 'eur',
      });
      await advance(MIDDLE);
      await shop.delete(`${pathOf(made)}?prorate=true&invoice_now=true`);
      const { starting_balance, ending_balance } = await shop.read(await invoiceOf(made, 1));
      expect([starting_balance, ending_balance, await balance()]).to.deep.equal([-200, -700, -700]);
    });
  });

  it('are of an uncollectible invoice of a pause that was paid after all', async () => {
    await useCard('pm_card_visa');
    const made = await subscribe({ items: [{ price, quantity: 10 }] });
    await shop.make(pathOf(made), { pause_collection: { behavior: 'mark_uncollectible' } });
    await advance('2030-02-28T12:00:00Z');
    await shop.make(`${await invoiceOf(made, 1)}/pay`);
    await shop.make(pathOf(made), { pause_collection: '' });
    await shop.make(pathOf(made), toQuantity(made, 1, { proration_behavior: 'always_invoice' }));
    expect((await totalsOf(made)).at(-1)).to.deep.equal(['paid', -9_000]);
  });

  it('and debits are not written for time that is void because of a pause', async () => {
    await useCard('pm_card_visa');
    const made = await subscribe();
    await shop.make(pathOf(made), { pause_collection: { behavior: 'void' } });
    await advance('2030-02-28T12:00:00Z');
    await shop.make(pathOf(made), toQuantity(made, 2));
    await shop.make(pathOf(made), { items: [{ price: await shop.newPrice(300) }] });
    expect(await waiting()).to.deep.equal([]);
    await shop.make(pathOf(made), { pause_collection: '' });
    await advance('2030-03-31T12:00:00Z');
    expect((await totalsOf(made)).at(-1)).to.deep.equal(['paid', 2_300]);
  });

  it('of an end are given while a pause keeps drafts', async () => {
    await useCard('pm_card_visa');
    const made = await subscribe();
    await shop.make(pathOf(made), { pause_collection: { behavior: 'keep_as_draft' } });
    await advance(MIDDLE);
    await shop.delete(`${pathOf(made)}?prorate=true&invoice_now=true`);
    expect(await totalsOf(made)).to.deep.equal([
      ['paid', 1_000],
      ['paid', -500],
    ]);
    expect(await balance()).to.equal(-500);
  });

  it('end with what a pause has kept, or leave it to people with invoice_now', async () => {
    const ended = async (how: string) => {
      await useCard('pm_card_visa');
      const made = await subscribe();
      await shop.make(pathOf(made), { pause_collection: { behavior: 'keep_as_draft' } });
      await shop.advance(clock, '2030-03-05T12:00:00.000Z');
      await shop.make(pathOf(made), { pause_collection: '' });
      await shop.delete(pathOf(made) + how);
      await shop.advance(clock, '2030-03-06T12:00:00.000Z');
      return made;
    };
    const kept = await ended('?invoice_now=true');
    expect(await totalsOf(kept)).to.deep.equal([
      ['paid', 1_000],
      ['draft', 1_000],
    ]);
    const paid = await shop.make(`${await invoiceOf(kept, 1)}/pay`);
    expect(paid).to.include({ status: 'paid' });
    clock = await shop.clock(START);
    customer = String((await shop.make('/v1/customers', { test_clock: clock, name: 'Eve' }))['id']);
    expect(await totalsOf(await ended(''))).to.deep.equal([['paid', 1_000]]);
  });
});
