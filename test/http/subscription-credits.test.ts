import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { SubscriptionSetup } from '../support/subscription-setup.ts';

const START = '2030-01-31T12:00:00.000Z';
const MIDDLE = '2030-02-14T12:00:00Z';
const SENT = { collection_method: 'send_invoice', days_until_due: 60 };

type Json = Readonly<Record<string, unknown>>;

describe('Credits of subscriptions', () => {
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
  const refusal = (path: string, body: object) => shop.refusal(path, body);
  const UNPAID = [400, 'subscription_unpaid', 'proration_behavior'];

  async function useAccount(token: string): Promise<void> {
    const method = await shop.make('/v1/payment_methods', {
      type: 'us_bank_account',
      us_bank_account: { token },
      billing_details: { name: 'Ada' },
      mandate_data: { customer_acceptance: { type: 'offline' } },
    });
    await shop.make(`/v1/payment_methods/${String(method['id'])}/attach`, { customer });
    await shop.useMethod(customer, String(method['id']));
  }

  it('are not given for time whose bank debit is on its way', async () => {
    price = await shop.newPrice(1_000, { currency: 'usd' });
    await useAccount('btok_us');
    const made = await subscribe({ items: [{ price, quantity: 10 }] });
    expect(made['status']).to.equal('active');
    const now = { proration_behavior: 'always_invoice' };
    expect(await refusal(pathOf(made), toQuantity(made, 1, now))).to.deep.equal(UNPAID);
    expect(await refusal(pathOf(made), toQuantity(made, 1))).to.deep.equal(UNPAID);
    // It can be neither paid nor voided now, so the text does not ask for that.
    const [invoice] = await shop.invoicesOf(made['id']);
    const { json } = await shop.post(pathOf(made), toQuantity(made, 1));
    expect((json['error'] as Json)['message']).to.equal(
      `Invoice ${String(invoice?.['id'])} of subscription ${String(made['id'])} asks for that time, and its charge ${String(invoice?.['charge'])} is pending. Try again when the outcome is known, or send proration_behavior=none.`,
    );
    const anchored = toQuantity(made, 0, { billing_cycle_anchor: 'now' });
    expect(await refusal(pathOf(made), anchored)).to.deep.equal(UNPAID);
    const shown = { subscription: made['id'], subscription_details: toQuantity(made, 1, now) };
    const [status, code] = await refusal('/v1/invoices/create_preview', shown);
    expect([status, code]).to.deep.equal([400, 'subscription_unpaid']);
    await advance(MIDDLE);
    // It has cleared.
    await shop.make(pathOf(made), toQuantity(made, 0, now));
    expect(await totalsOf(made)).to.deep.equal([
      ['paid', 10_000],
      ['paid', -5_000],
    ]);
  });

  it('are not given for time of an invoice that was sent and is not paid', async () => {
    const made = await subscribe({ ...SENT, items: [{ price, quantity: 10 }] });
    const down = toQuantity(made, 1, { proration_behavior: 'always_invoice' });
    expect(await refusal(pathOf(made), down)).to.deep.equal(UNPAID);
    await shop.make(`${await invoiceOf(made, 0)}/mark_uncollectible`);
    expect(await refusal(pathOf(made), down)).to.deep.equal(UNPAID);
    const { json } = await shop.post(pathOf(made), down);
    expect((json['error'] as Json)['message']).to.equal(
      `Invoice ${String(made['latest_invoice'])} of subscription ${String(made['id'])} asks for that time and is uncollectible. Pay it, void it, or send proration_behavior=none.`,
    );
    await shop.make(`${await invoiceOf(made, 0)}/void`);
    await shop.make(pathOf(made), down);
    expect(await balance()).to.equal(0);
    expect(await totalsOf(made)).to.deep.equal([
      ['void', 10_000],
      ['open', 1_000],
    ]);
  });

  it('are given for paid time although other time is not paid', async () => {
    const made = await subscribe(SENT);
    await advance('2030-02-28T12:00:00Z');
    await shop.make(`${await invoiceOf(made, 1)}/pay`, { paid_out_of_band: true });
    const added = await shop.newPrice(500);
    await shop.make(pathOf(made), {
      items: [{ price: added }],
      proration_behavior: 'always_invoice',
    });
    await shop.make(pathOf(made), toQuantity(made, 0));
    expect(await waiting()).to.deep.equal([-1_000]);
    const ended = await shop.delete(`${pathOf(made)}?prorate=true`);
    expect(ended.json['error']).to.deep.include({ code: 'subscription_unpaid', param: 'prorate' });
  });

  describe('for what waits for the next invoice', () => {
    const items = async (): Promise<readonly Json[]> =>
      (await shop.read(`/v1/invoiceitems?customer=${customer}&pending=true`))['data'] as Json[];
    const itemPath = ({ id }: Json = {}): string => `/v1/invoiceitems/${String(id)}`;
    /** One unit is paid; in the middle of the period there are ten. */
    const upgraded = async (): Promise<Json> => {
      await useCard('pm_card_visa');
      const made = await subscribe();
      await advance('2030-02-14T12:00:00Z');
      await shop.make(pathOf(made), toQuantity(made, 10));
      expect(await waiting()).to.deep.equal([5_000, -500]);
      return made;
    };

    it('are not given when the debit of the change was deleted', async () => {
      const made = await upgraded();
      await shop.delete(itemPath((await items())[0]));
      await shop.delete(`${pathOf(made)}?prorate=true`);
      expect(await waiting()).to.deep.equal([-500]);
    });

    it('are not given when the debit of the change asks for less', async () => {
      const made = await upgraded();
      await shop.make(itemPath((await items())[0]), { amount: 100 });
      await shop.delete(`${pathOf(made)}?prorate=true`);
      expect(await waiting()).to.deep.equal([100, -500]);
    });

    it('are given when only the credit of the change was deleted', async () => {
      const made = await upgraded();
      await shop.delete(itemPath((await items())[1]));
      await shop.delete(`${pathOf(made)}?prorate=true`);
      expect(await waiting()).to.deep.equal([-5_000, 5_000]);
    });

    it('must be deleted before the debit whose time they give back', async () => {
      const made = await upgraded();
      await shop.make(pathOf(made), toQuantity(made, 5));
      const [half, back, ten] = await items();
      expect([half?.['amount'], back?.['amount'], ten?.['amount']]).to.deep.equal([
        2_500, -5_000, 5_000,
      ]);
      const { json } = await shop.delete(itemPath(ten));
      expect((json['error'] as Json)['code']).to.equal('invoice_item_credited');
      expect((json['error'] as Json)['message']).to.include(String(back?.['id']));
      await shop.delete(itemPath(back));
      await shop.delete(itemPath(ten));
      await shop.delete(`${pathOf(made)}?prorate=true`);
      expect(await waiting()).to.deep.equal([2_500, -500]);
    });

    it('are kept for an item that was removed, when the invoice of the change is void', async () => {
      const extra = await shop.newPrice(600);
      const made = await subscribe({ ...SENT, items: [{ price }, { price: extra }] });
      await shop.make(`${await invoiceOf(made, 0)}/pay`, { paid_out_of_band: true });
      await advance('2030-02-14T12:00:00Z');
      const removed = (made['items'] as { data: Json[] }).data[1]?.['id'];
      await shop.make(pathOf(made), {
        items: [{ id: removed, deleted: true }, { price: await shop.newPrice(4_000) }],
        proration_behavior: 'always_invoice',
      });
      expect(await totalsOf(made)).to.deep.equal([
        ['paid', 1_600],
        ['open', 1_700],
      ]);
      await shop.make(`${await invoiceOf(made, 1)}/void`);
      expect(await waiting()).to.deep.equal([-300]);
      await shop.delete(`${pathOf(made)}?prorate=true`);
      expect(await waiting()).to.deep.equal([-500, -300]);
    });
  });

  for (const how of ['void by hand', 'void because of an end']) {
    it(`are kept for the period before when the invoice of a new one is ${how}`, async () => {
      const made = await subscribe(SENT);
      await shop.make(`${await invoiceOf(made, 0)}/pay`, { paid_out_of_band: true });
      await advance(MIDDLE);
      await shop.make(pathOf(made), { billing_cycle_anchor: 'now' });
      if (how === 'void by hand') await shop.make(`${await invoiceOf(made, 1)}/void`);
      await shop.delete(pathOf(made));
      expect(await totalsOf(made)).to.deep.equal([
        ['paid', 1_000],
        ['void', 500],
      ]);
      expect(await waiting()).to.deep.equal([-500]);
    });
  }

  it('are not given for the draft of a pause', async () => {
    await useCard('pm_card_visa');
    const made = await subscribe({ items: [{ price, quantity: 10 }] });
    await shop.make(pathOf(made), { pause_collection: { behavior: 'keep_as_draft' } });
    await advance('2030-02-28T12:00:00Z');
    expect(await refusal(pathOf(made), toQuantity(made, 1))).to.deep.equal(UNPAID);
    await shop.make(pathOf(made), toQuantity(made, 1, { proration_behavior: 'none' }));
    expect(await waiting()).to.deep.equal([]);
  });

  it('and their debits stay if an invoice of earlier time becomes void', async () => {
    const made = await subscribe(SENT);
    await advance('2030-02-28T12:00:00Z');
    await shop.make(`${await invoiceOf(made, 1)}/pay`, { paid_out_of_band: true });
    await shop.make(pathOf(made), toQuantity(made, 10));
    expect((await waiting()).toSorted()).to.deep.equal([-1_000, 10_000]);
    await shop.make(`${await invoiceOf(made, 0)}/void`);
    expect((await waiting()).toSorted()).to.deep.equal([-1_000, 10_000]);
    await shop.delete(`${pathOf(made)}?prorate=true&invoice_now=true`);
    expect(await totalsOf(made)).to.deep.equal([
      ['void', 1_000],
      ['paid', 1_000],
      ['paid', -1_000],
    ]);
    expect(await balance()).to.equal(-1_000);
  });

  it('are of what was paid before an upgrade whose invoice becomes void', async () => {
    await useCard('pm_card_visa');
    const other = await shop.newPrice(5_000);
    const made = await subscribe({ items: [{ price }, { price: other }] });
    await useCard('pm_card_visa_chargeDeclinedInsufficientFunds');
    const now = { proration_behavior: 'always_invoice' };
    await shop.make(pathOf(made), toQuantity(made, 3, now));
    await shop.make(`${await invoiceOf(made, 1)}/void`);
    await useCard('pm_card_visa');
    await shop.make(pathOf(made), toQuantity(made, 1, now));
    expect(await totalsOf(made)).to.deep.equal([
      ['paid', 6_000],
      ['void', 2_000],
      ['paid', 0],
    ]);
    await shop.delete(`${pathOf(made)}?prorate=true&invoice_now=true`);
    expect((await totalsOf(made)).at(-1)).to.deep.equal(['paid', -6_000]);
  });

  it('are of what was paid before several changes that one invoice asked for', async () => {
    await useCard('pm_card_visa');
    const made = await subscribe();
    const dear = await shop.newPrice(7_000);
    await advance(MIDDLE);
    await shop.make(pathOf(made), { items: [{ id: itemOf(made), price: dear }] });
    await useCard('pm_card_visa_chargeDeclinedInsufficientFunds');
    const now = { proration_behavior: 'always_invoice' };
    await shop.make(pathOf(made), toQuantity(made, 2, now));
    await shop.make(`${await invoiceOf(made, 1)}/void`);
    expect(await waiting()).to.deep.equal([]);
    await shop.delete(`${pathOf(made)}?prorate=true&invoice_now=true`);
    expect(await totalsOf(made)).to.deep.equal([
      ['paid', 1_000],
      ['void', 6_500],
      ['paid', -500],
    ]);
  });

  it('are of what was paid before an end was dropped, if the invoice for that becomes void', async () => {
    await useCard('pm_card_visa');
    const made = await subscribe({ cancel_at: MIDDLE });
    await useCard('pm_card_visa_chargeDeclinedInsufficientFunds');
    const now = { proration_behavior: 'always_invoice' };
    await shop.make(pathOf(made), { cancel_at: '', ...now });
    await shop.make(`${await invoiceOf(made, 1)}/void`);
    await shop.delete(`${pathOf(made)}?prorate=true&invoice_now=true`);
    expect(await totalsOf(made)).to.deep.equal([
      ['paid', 500],
      ['void', 500],
      ['paid', -500],
    ]);
  });

  it('are of a new period although an invoice of the one before becomes void', async () => {
    const made = await subscribe(SENT);
    await shop.make(`${await invoiceOf(made, 0)}/pay`, { paid_out_of_band: true });
    await shop.make(pathOf(made), toQuantity(made, 3, { proration_behavior: 'always_invoice' }));
    await advance('2030-02-01T12:00:00Z');
    const anchored = { billing_cycle_anchor: 'now', proration_behavior: 'none' };
    await shop.make(pathOf(made), anchored);
    await shop.make(`${await invoiceOf(made, 2)}/pay`, { paid_out_of_band: true });
    await shop.make(pathOf(made), toQuantity(made, 1));
    await shop.make(`${await invoiceOf(made, 1)}/void`);
    expect((await waiting()).toSorted()).to.deep.equal([-3_000, 1_000]);
    await shop.delete(`${pathOf(made)}?prorate=true&invoice_now=true`);
    expect(await totalsOf(made)).to.deep.equal([
      ['paid', 1_000],
      ['void', 2_000],
      ['paid', 3_000],
      ['paid', -3_000],
    ]);
  });

  describe('at a scheduled end', () => {
    const END = { cancel_at: MIDDLE, proration_behavior: 'create_prorations' };
    const now = { proration_behavior: 'always_invoice' };
    const payFirst = async (made: Json) =>
      shop.make(`${await invoiceOf(made, 0)}/pay`, { paid_out_of_band: true });

    it('are given for paid time although another item is not paid', async () => {
      const made = await subscribe({ ...SENT, items: [{ price, quantity: 10 }] });
      await payFirst(made);
      await shop.make(pathOf(made), { items: [{ price: await shop.newPrice(100) }], ...now });
      await shop.make(pathOf(made), END);
      await advance(MIDDLE);
      expect(await totalsOf(made)).to.deep.equal([
        ['paid', 10_000],
        ['void', 100],
      ]);
      expect(await waiting()).to.deep.equal([-5_000]);
    });

    it('are of what was paid before an upgrade that is not paid', async () => {
      const made = await subscribe(SENT);
      await payFirst(made);
      await shop.make(pathOf(made), toQuantity(made, 3, now));
      await shop.make(pathOf(made), END);
      await advance(MIDDLE);
      expect(await totalsOf(made)).to.deep.equal([
        ['paid', 1_000],
        ['void', 2_000],
      ]);
      expect(await waiting()).to.deep.equal([-500]);
    });

    it('are given although the subscription is past due for something else', async () => {
      await useCard('pm_card_visa');
      const made = await subscribe();
      await shop.make(pathOf(made), END);
      await advance('2030-02-10T12:00:00Z');
      await useCard('pm_card_visa_chargeDeclinedInsufficientFunds');
      await shop.make(pathOf(made), { items: [{ price: await shop.newPrice(700) }], ...now });
      expect((await shop.read(pathOf(made)))['status']).to.equal('past_due');
      await advance(MIDDLE);
      expect(await waiting()).to.deep.equal([-500]);
    });

    it('are given beside the balance that a void invoice gives back', async () => {
      await shop.make(`/v1/customers/${customer}/balance_transactions`, {
        amount: -300,
        currency: 'eur',
      });
      const made = await subscribe(SENT);
      await advance('2030-02-28T12:00:00Z');
      await shop.make(`${await invoiceOf(made, 1)}/pay`, { paid_out_of_band: true });
      await shop.make(pathOf(made), { cancel_at: '2030-03-16T00:00:00Z', ...now });
      await advance('2030-03-16T00:00:00Z');
      expect((await shop.read(pathOf(made)))['status']).to.equal('canceled');
      expect(await totalsOf(made)).to.deep.equal([
        ['void', 1_000],
        ['paid', 1_000],
        ['paid', -500],
      ]);
      expect(await balance()).to.equal(-800);
    });
  });

  it('are of a period that began in the same second as the one before', async () => {
    const made = await subscribe(SENT);
    await shop.make(`${await invoiceOf(made, 0)}/pay`, { paid_out_of_band: true });
    await shop.make(pathOf(made), toQuantity(made, 10, { proration_behavior: 'always_invoice' }));
    const anchored = { billing_cycle_anchor: 'now', proration_behavior: 'none' };
    await shop.make(pathOf(made), anchored);
    await shop.make(`${await invoiceOf(made, 2)}/pay`, { paid_out_of_band: true });
    await shop.make(`${await invoiceOf(made, 1)}/void`);
    await shop.make(pathOf(made), toQuantity(made, 1));
    expect(await totalsOf(made)).to.deep.equal([
      ['paid', 1_000],
      ['void', 9_000],
      ['paid', 10_000],
    ]);
    expect((await waiting()).toSorted()).to.deep.equal([-10_000, 1_000]);
  });

  it('are refused for time whose money was refunded or charged back', async () => {
    await useCard('pm_card_visa');
    const refunded = await subscribe({ items: [{ price, quantity: 10 }] });
    const { charge } = await shop.read(await invoiceOf(refunded, 0));
    await shop.make('/v1/refunds', { charge });
    const fewer = { proration_behavior: 'always_invoice' };
    expect(await refusal(pathOf(refunded), toQuantity(refunded, 1, fewer))).to.deep.equal(UNPAID);
    const ended = await shop.delete(`${pathOf(refunded)}?prorate=true&invoice_now=true`);
    expect([ended.status, ended.error['code'], ended.error['param']]).to.deep.equal([
      400,
      'subscription_unpaid',
      'prorate',
    ]);
    expect(ended.error['message']).to.match(
      /^Invoice in_\w+ of subscription sub_\w+ asks for that time, and what was paid for it was refunded or charged back\. Instead, send prorate=false\.$/,
    );
    await useCard('pm_card_createDispute');
    const disputed = await subscribe({ items: [{ price, quantity: 10 }] });
    await advance('2030-02-02T12:00:00Z');
    expect(await refusal(pathOf(disputed), toQuantity(disputed, 1, fewer))).to.deep.equal(UNPAID);
    const { data } = await shop.read(`/v1/disputes?limit=1&test_clock=${clock}`);
    const [dispute] = data as Json[];
    await shop.make(`/v1/disputes/${String(dispute?.['id'])}/close`);
    expect(await refusal(pathOf(disputed), toQuantity(disputed, 1, fewer))).to.deep.equal(UNPAID);
    expect(await balance()).to.equal(0);
    const none = await shop.make(
      pathOf(disputed),
      toQuantity(disputed, 1, { proration_behavior: 'none' }),
    );
    expect(none['status']).to.equal('active');
  });

  it('are of the quantity of before, if a void invoice had changes that waited', async () => {
    await useCard('pm_card_visa');
    const made = await subscribe({ items: [{ price, quantity: 3 }] });
    await advance('2030-02-07T12:00:00Z');
    await shop.make(pathOf(made), toQuantity(made, 5));
    await shop.make(pathOf(made), SENT);
    await advance(MIDDLE);
    const now = { proration_behavior: 'always_invoice' };
    await shop.make(pathOf(made), toQuantity(made, 7, now));
    await shop.make(`${await invoiceOf(made, 1)}/void`);
    const fewer = { subscription_details: toQuantity(made, 1, now), subscription: made['id'] };
    const shown = await shop.make('/v1/invoices/create_preview', fewer);
    const { data } = shown['lines'] as { data: Json[] };
    expect(data.map(({ description, amount }) => [description, amount])).to.deep.equal([
      ['Unused time on 3 × Basic after 14 Feb 2030', -1_500],
      ['Remaining time on Basic after 14 Feb 2030', 500],
    ]);
  });
});
