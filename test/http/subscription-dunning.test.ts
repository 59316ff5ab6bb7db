import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { query } from '../support/database.ts';
import { SubscriptionSetup } from '../support/subscription-setup.ts';

const START = '2030-01-31T12:00:00.000Z';
const POOR = 'pm_card_visa_chargeDeclinedInsufficientFunds';

type Json = Readonly<Record<string, unknown>>;

describe('Collection of the invoices of a subscription', () => {
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
    price = await shop.newPrice(1_000);
  });

  const attach = (card: string) => shop.attach(customer, card);
  const useCard = async (card: string) => shop.useMethod(customer, await attach(card));
  const subscribe = async (more: object = {}): Promise<string> =>
    String((await shop.make('/v1/subscriptions', { customer, items: [{ price }], ...more }))['id']);
  const change = (id: string, more: object) => shop.make(`/v1/subscriptions/${id}`, more);
  const pause = (id: string, behavior: string) => change(id, { pause_collection: { behavior } });
  const resume = (id: string) => change(id, { pause_collection: '' });
  const advance = (to: string) => shop.advance(clock, new Date(to).toISOString());
  const invoiceAt = async (id: string, index: number): Promise<string> =>
    String((await shop.invoicesOf(id))[index]?.['id']);
  /** Of each invoice, oldest first. */
  const stateOf = async (id: string): Promise<readonly unknown[]> =>
    (await shop.invoicesOf(id)).map((each) => [each['status'], each['attempt_count']]);
  const statusOf = async (id: string) => (await shop.subscription(id))['status'];
  const dunningOf = async (id: string) => (await shop.subscription(id))['dunning'] as Json;
  /** A subscription with two invoices that are not paid. The card has no money. */
  const withTwoUnpaid = async (): Promise<string> => {
    const id = await subscribe();
    await pause(id, 'keep_as_draft');
    await advance('2030-04-01T12:00:00Z');
    await useCard(POOR);
    await resume(id);
    await advance('2030-04-01T14:00:00Z');
    expect(await statusOf(id)).to.equal('past_due');
    return id;
  };

  it('takes a declined request for an invoice that was sent as a request, and no more', async () => {
    const id = await subscribe({ collection_method: 'send_invoice', days_until_due: 30 });
    await useCard(POOR);
    const declined = await shop.post(`/v1/invoices/${await invoiceAt(id, 0)}/pay`);
    expect(declined.status).to.equal(402);
    expect(await shop.subscription(id)).to.deep.include({ status: 'active', dunning: null });
    await advance('2030-02-08T13:00:00Z');
    expect([await statusOf(id), await stateOf(id)]).to.deep.equal(['active', [['open', 1]]]);
  });

  it('does not begin for an uncollectible invoice', async () => {
    const id = await subscribe();
    await pause(id, 'mark_uncollectible');
    await advance('2030-02-28T12:00:00Z');
    await resume(id);
    const declined = await shop.post(`/v1/invoices/${await invoiceAt(id, 1)}/pay`, {
      payment_method: await attach(POOR),
    });
    expect(declined.status).to.equal(402);
    await advance('2030-03-08T13:00:00Z');
    expect([await statusOf(id), await stateOf(id)]).to.deep.equal([
      'active',
      [
        ['paid', 1],
        ['uncollectible', 1],
      ],
    ]);
  });

  it('goes on as the invoice says, when later ones are to be sent', async () => {
    const id = await subscribe();
    await useCard(POOR);
    await advance('2030-02-28T12:00:00Z');
    await change(id, { collection_method: 'send_invoice', days_until_due: 30 });
    await useCard('pm_card_visa');
    await advance('2030-03-01T12:00:00Z');
    expect([await statusOf(id), await stateOf(id)]).to.deep.equal([
      'active',
      [
        ['paid', 1],
        ['paid', 2],
      ],
    ]);
  });

  it('never tries a card again of which the issuer forbade it, whatever else is tried between', async () => {
    const lost = await attach('pm_card_lost_from_charge_2');
    await shop.useMethod(customer, lost);
    const id = await subscribe();
    await advance('2030-02-28T14:00:00Z');
    expect(await dunningOf(id)).to.include({ attempt: 1, next_attempt_at: null });
    await useCard(POOR);
    await advance('2030-02-28T15:00:00Z');
    expect(await stateOf(id)).to.deep.equal([
      ['paid', 1],
      ['open', 2],
    ]);
    await shop.useMethod(customer, lost);
    await advance('2030-03-06T11:00:00Z');
    const charges = (await shop.read(`/v1/charges?customer=${customer}`))['data'] as Json[];
    const tried = charges.filter(({ payment_method: method }) => method === lost);
    expect(tried.map(({ status }) => status)).to.deep.equal(['failed', 'succeeded']);
    expect(await statusOf(id)).to.equal('past_due');
    await advance('2030-03-08T00:00:00Z');
    expect(await statusOf(id)).to.equal('canceled');
    expect(await stateOf(id)).to.deep.equal([
      ['paid', 1],
      ['uncollectible', 2],
    ]);
  });

  it('tries a card again that was forbidden, when the bank has replaced it', async () => {
    const lost = await attach('pm_card_lost_from_charge_2');
    await shop.useMethod(customer, lost);
    const id = await subscribe();
    await advance('2030-02-28T14:00:00Z');
    await useCard(POOR);
    await advance('2030-02-28T15:00:00Z');
    await shop.make(`/v1/payment_methods/${lost}`, { card: { exp_month: 12, exp_year: 2039 } });
    await shop.useMethod(customer, lost);
    await advance('2030-02-28T16:00:00Z');
    expect(await stateOf(id)).to.deep.equal([
      ['paid', 1],
      ['open', 3],
    ]);
  });

  it('records no renewal of a period whose failure was recorded, when its invoice is paid after all', async () => {
    const id = await subscribe();
    await useCard(POOR);
    await advance('2030-02-28T14:00:00Z');
    const invoice = await invoiceAt(id, 1);
    await shop.make(`/v1/invoices/${invoice}/mark_uncollectible`);
    await useCard('pm_card_visa');
    await advance('2030-04-01T12:00:00Z');
    await shop.make(`/v1/invoices/${invoice}/pay`);
    expect(await stateOf(id)).to.deep.equal([
      ['paid', 1],
      ['paid', 2],
      ['paid', 1],
    ]);
    expect((await shop.eventsOf(id)).map((each) => each.split(' ')[0])).to.deep.equal([
      'subscription.created',
      'subscription.payment_failed',
      'subscription.renewed',
    ]);
  });

  it('deletes the drafts of a pause when it ends the subscription', async () => {
    const id = await subscribe();
    await pause(id, 'keep_as_draft');
    await shop.make('/v1/invoiceitems', { customer, amount: 300, currency: 'eur' });
    await advance('2030-04-01T12:00:00Z');
    expect((await stateOf(id)).map((each) => (each as unknown[])[0])).to.deep.equal([
      'paid',
      'draft',
      'draft',
    ]);
    await useCard(POOR);
    await shop.make(`/v1/invoices/${await invoiceAt(id, 2)}/finalize`);
    const declined = await shop.post(`/v1/invoices/${await invoiceAt(id, 2)}/pay`);
    expect([declined.status, await statusOf(id)]).to.deep.equal([402, 'past_due']);
    await advance('2030-04-09T12:00:00Z');
    expect(await statusOf(id)).to.equal('canceled');
    expect((await stateOf(id)).map((each) => (each as unknown[])[0])).to.deep.equal([
      'paid',
      'uncollectible',
    ]);
    const left = await shop.read(`/v1/invoiceitems?customer=${customer}&pending=true`);
    expect((left['data'] as Json[]).map(({ amount }) => amount)).to.deep.equal([300]);
  });

  it('ends the other invoices too when the last attempt finds nothing to charge', async () => {
    const id = await withTwoUnpaid();
    await advance('2030-04-07T14:00:00Z');
    expect(await statusOf(id)).to.equal('past_due');
    await shop.make(`/v1/customers/${customer}`, {
      invoice_settings: { default_payment_method: '' },
    });
    await advance('2030-04-10T12:00:00Z');
    expect(await statusOf(id)).to.equal('canceled');
    // Either of the two may be tried first.
    expect(await stateOf(id)).to.have.deep.members([
      ['paid', 1],
      ['uncollectible', 5],
      ['uncollectible', 1],
    ]);
  });

  it('uses the default of the customer when the own card of the subscription was detached', async () => {
    const own = await attach('pm_card_mastercard');
    const id = await subscribe({ default_payment_method: own });
    await shop.make(`/v1/payment_methods/${own}/detach`);
    await advance('2030-02-28T12:00:00Z');
    expect([await statusOf(id), await stateOf(id)]).to.deep.equal([
      'active',
      [
        ['paid', 1],
        ['paid', 1],
      ],
    ]);
  });

  it('tries a new default at once when the own card of the subscription was detached', async () => {
    const own = await attach(POOR);
    const id = await subscribe();
    await change(id, { default_payment_method: own });
    await advance('2030-02-28T12:00:00Z');
    await shop.make(`/v1/payment_methods/${own}/detach`);
    await useCard('pm_card_visa');
    await advance('2030-02-28T13:00:00Z');
    expect(await statusOf(id)).to.equal('active');
  });

  it('goes on with the next open invoice after a void', async () => {
    const id = await withTwoUnpaid();
    await shop.make(`/v1/invoices/${await invoiceAt(id, 1)}/void`);
    expect(await statusOf(id)).to.equal('past_due');
    await useCard('pm_card_visa');
    await advance('2030-04-02T12:00:00Z');
    expect(await statusOf(id)).to.equal('active');
    expect((await stateOf(id)).map((each) => (each as unknown[])[0])).to.deep.equal([
      'paid',
      'void',
      'paid',
    ]);
  });

  it('charges what was issued by hand in a pause when the pause ends', async () => {
    const id = await subscribe();
    await pause(id, 'keep_as_draft');
    await advance('2030-02-28T12:00:00Z');
    await shop.make(`/v1/invoices/${await invoiceAt(id, 1)}/finalize`);
    await resume(id);
    await advance('2030-02-28T14:00:00Z');
    expect(await stateOf(id)).to.deep.equal([
      ['paid', 1],
      ['paid', 1],
    ]);
  });

  it('keeps the schedule when another card is declined by request', async () => {
    const id = await subscribe();
    await useCard(POOR);
    await advance('2030-02-28T12:00:00Z');
    const before = await dunningOf(id);
    expect(before['next_attempt_at']).to.equal('2030-03-01T12:00:00.000Z');
    const other = await attach('pm_card_chargeDeclinedExpiredCard');
    const path = `/v1/invoices/${await invoiceAt(id, 1)}/pay`;
    expect((await shop.post(path, { payment_method: other })).status).to.equal(402);
    expect(await dunningOf(id)).to.deep.equal(before);
  });

  it('goes on with the next open invoice when one is uncollectible', async () => {
    const id = await withTwoUnpaid();
    await shop.make(`/v1/invoices/${await invoiceAt(id, 1)}/mark_uncollectible`);
    await useCard('pm_card_visa');
    await advance('2030-04-02T12:00:00Z');
    expect(await statusOf(id)).to.equal('active');
    expect((await stateOf(id)).map((each) => (each as unknown[])[0])).to.deep.equal([
      'paid',
      'uncollectible',
      'paid',
    ]);
  });

  it('ends when the only invoice is uncollectible', async () => {
    const id = await subscribe();
    await useCard(POOR);
    await advance('2030-02-28T12:00:00Z');
    await shop.make(`/v1/invoices/${await invoiceAt(id, 1)}/mark_uncollectible`);
    expect(await shop.subscription(id)).to.deep.include({ status: 'active', dunning: null });
    const unused = await shop.delete(`/v1/subscriptions/${id}?prorate=true&invoice_now=true`);
    const { code } = unused.json['error'] as { code: string };
    expect([unused.status, code]).to.deep.equal([400, 'subscription_unpaid']);
  });

  describe('that ended', () => {
    beforeEach(async () => {
      price = await shop.newPrice(1_000, { currency: 'usd' });
    });
    const detachDefault = async () => {
      const { invoice_settings: settings } = await shop.read(`/v1/customers/${customer}`);
      const { default_payment_method: method } = settings as Json;
      await shop.make(`/v1/payment_methods/${String(method)}/detach`);
    };
    /** Either may be charged first, so the other one was tried once. */
    const besideDunning = async (id: string): Promise<string> => {
      const open = (await shop.invoicesOf(id)).filter((each) => each['status'] === 'open');
      return String(open.find((each) => each['attempt_count'] === 1)?.['id']);
    };

    const LAST = [
      ['with a declined attempt', async () => undefined],
      ['without a payment method to try', detachDefault],
      [
        'with an uncollectible invoice',
        (other: string) => shop.make(`/v1/invoices/${other}/mark_uncollectible`),
      ],
    ] as const;
    for (const [how, prepare] of LAST) {
      it(`${how} gives back what a debit of another invoice brings in for time after it`, async () => {
        const id = await withTwoUnpaid();
        const account = await shop.make('/v1/payment_methods', {
          type: 'us_bank_account',
          us_bank_account: { token: 'btok_us' },
          billing_details: { name: 'Ada' },
          mandate_data: { customer_acceptance: { type: 'offline' } },
        });
        const method = String(account['id']);
        await shop.make(`/v1/payment_methods/${method}/attach`, { customer });
        await advance('2030-04-08T00:00:00Z');
        const debited = await besideDunning(id);
        await prepare(debited);
        await shop.make(`/v1/invoices/${debited}/pay`, { payment_method: method });
        await advance('2030-04-09T00:00:00Z');
        expect(await statusOf(id)).to.equal('canceled');
        await advance('2030-04-20T00:00:00Z');
        const { charge, period_end: end } = await shop.read(`/v1/invoices/${debited}`);
        // What it pays for was used if its period was over, and either may be debited.
        expect(await shop.read(`/v1/charges/${String(charge)}`)).to.include({
          amount: 1_000,
          amount_refunded: String(end) > '2030-04-09' ? 1_000 : 0,
        });
      });
    }
  });

  it('records created, and not renewed, when the debit of a backdated beginning clears', async () => {
    price = await shop.newPrice(1_000, { currency: 'usd' });
    const account = await shop.make('/v1/payment_methods', {
      type: 'us_bank_account',
      us_bank_account: { token: 'btok_us' },
      billing_details: { name: 'Ada' },
      mandate_data: { customer_acceptance: { type: 'offline' } },
    });
    await shop.make(`/v1/payment_methods/${String(account['id'])}/attach`, { customer });
    await shop.useMethod(customer, String(account['id']));
    const id = await subscribe({ backdate_start_date: '2030-01-20T12:00:00Z' });
    await advance('2030-02-10T12:00:00Z');
    const events = (await shop.eventsOf(id)).map((each) => each.split(' ')[0]);
    expect([await stateOf(id), events]).to.deep.equal([[['paid', 1]], ['subscription.created']]);
  });

  describe('of an account that leaves subscriptions unpaid', () => {
    const settle = (value: string) =>
      query(app.databaseUrl, `UPDATE paymount.accounts SET after_last_attempt = '${value}'`);
    before(() => settle('leave_unpaid'));
    after(() => settle('cancel'));

    it('bills the next period as usual when the debt is void', async () => {
      const id = await subscribe();
      await useCard(POOR);
      await advance('2030-04-10T12:00:00Z');
      expect(await statusOf(id)).to.equal('unpaid');
      await useCard('pm_card_visa');
      await shop.make(`/v1/invoices/${await invoiceAt(id, 1)}/void`);
      await advance('2030-04-10T14:00:00Z');
      expect(await shop.subscription(id)).to.deep.include({
        status: 'active',
        period_index: 1,
        current_period_end: '2030-04-30T12:00:00.000Z',
      });
      expect(await stateOf(id)).to.have.length(2);
      await advance('2030-04-30T12:00:00Z');
      expect(await shop.subscription(id)).to.deep.include({
        status: 'active',
        period_index: 2,
        current_period_end: '2030-05-31T12:00:00.000Z',
      });
      expect(await stateOf(id)).to.deep.equal([
        ['paid', 1],
        ['void', 5],
        ['paid', 1],
      ]);
    });
  });
});
