import { expect } from 'chai';
import { type AdminApp, startAdminApp } from '../support/admin-app.ts';
import { query } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { SubscriptionSetup } from '../support/subscription-setup.ts';

const START = '2030-04-01T00:00:00.000Z';
const DAY_MS = 86_400_000;

type Json = Readonly<Record<string, unknown>>;

describe('The billing settings of an account', () => {
  let app: AdminApp;
  let shop: SubscriptionSetup;
  beforeEach(async () => {
    app = await startAdminApp();
    shop = new SubscriptionSetup(app);
  });
  afterEach(async () => {
    expect(await app.paymount.verify()).to.deep.equal([]);
    await app.close();
  });

  const path = () => `/accounts/${app.account}/billing_settings`;
  const set = (body: object) => app.admin(path(), { body });
  const subscribe = async (customer: string, price: string): Promise<Json> =>
    shop.make('/v1/subscriptions', { customer, items: [{ price }] });
  const newCustomer = async (more: object = {}): Promise<string> => {
    const card = 'pm_card_visa';
    const settings = { invoice_settings: { default_payment_method: card } };
    const made = await shop.make('/v1/customers', { payment_method: card, ...settings, ...more });
    return String(made['id']);
  };
  const invoicesOf = async (id: unknown) =>
    (await shop.invoicesOf(id)).map(({ status, period_start: start }) => [status, start]);

  /** So many invoices, once nothing of them is due; the worker may have one of them just now. */
  const billed = (id: unknown, count: number): Promise<readonly Json[]> =>
    eventually(
      async () => {
        await app.worker.drain();
        return shop.invoicesOf(id);
      },
      (found) => found.length === count && found.every(({ status }) => status !== 'open'),
      10_000,
    );

  it('are the same for every new account', async () => {
    const { status, json } = await app.admin(path());
    expect([status, json]).to.deep.equal([
      200,
      {
        object: 'billing_settings',
        account: app.account,
        after_last_attempt: 'cancel',
        catch_up: 'bill_all',
        cancel_on_dispute: false,
        charges_per_second: 20,
      },
    ]);
  });

  it('are changed by an admin, and the audit log has both states', async () => {
    const { json } = await set({ catch_up: 'bill_latest', charges_per_second: 5 });
    expect(json).to.include({ catch_up: 'bill_latest', charges_per_second: 5 });
    expect(json).to.include({ after_last_attempt: 'cancel', cancel_on_dispute: false });
    await set({ catch_up: 'bill_latest' });
    const { data } = (await app.admin(`/audit?account=${app.account}`)).json as { data: Json[] };
    const entries = data.filter(({ action }) => action === 'billing_settings.update');
    expect(entries.map(({ target, before, after }) => ({ target, before, after }))).to.deep.equal([
      {
        target: app.account,
        before: {
          after_last_attempt: 'cancel',
          catch_up: 'bill_all',
          cancel_on_dispute: false,
          charges_per_second: 20,
        },
        after: {
          after_last_attempt: 'cancel',
          catch_up: 'bill_latest',
          cancel_on_dispute: false,
          charges_per_second: 5,
        },
      },
    ]);
  });

  it('refuse what is not a setting', async () => {
    for (const body of [
      { charges_per_second: 0 },
      { charges_per_second: 201 },
      { catch_up: 'none' },
      { after_last_attempt: 'pause' },
    ]) {
      const { status, json } = await set(body);
      const { param } = json['error'] as Json;
      expect([status, param], JSON.stringify(body)).to.deep.equal([400, Object.keys(body)[0]]);
    }
  });

  describe('after_last_attempt', () => {
    const declined = async () => {
      const clock = await shop.clock(START);
      const customer = await shop.customer(clock);
      const made = await subscribe(customer, await shop.newPrice(1_000));
      await shop.useMethod(
        customer,
        await shop.attach(customer, 'pm_card_visa_chargeDeclinedInsufficientFunds'),
      );
      await shop.advance(clock, '2030-05-20T00:00:00.000Z');
      return { clock, customer, id: String(made['id']) };
    };

    it('ends what nobody paid', async () => {
      const { id } = await declined();
      expect(await shop.subscription(id)).to.include({ status: 'canceled' });
    });

    it('leaves it unpaid, and bills nothing more', async () => {
      await set({ after_last_attempt: 'leave_unpaid' });
      const { clock, customer, id } = await declined();
      expect(await shop.subscription(id)).to.include({ status: 'unpaid', ended_at: null });
      await shop.advance(clock, '2030-07-10T00:00:00.000Z');
      expect(await invoicesOf(id)).to.deep.equal([
        ['paid', '2030-04-01T00:00:00.000Z'],
        ['uncollectible', '2030-05-01T00:00:00.000Z'],
      ]);
      const [, invoice] = await shop.invoicesOf(id);
      const method = await shop.attach(customer, 'pm_card_visa');
      await shop.make(`/v1/invoices/${String(invoice?.['id'])}/pay`, { payment_method: method });
      await shop.useMethod(customer, method);
      await shop.advance(clock, '2030-07-11T00:00:00.000Z');
      expect(await shop.subscription(id)).to.include({ status: 'active' });
      expect(await invoicesOf(id)).to.deep.equal([
        ['paid', '2030-04-01T00:00:00.000Z'],
        ['paid', '2030-05-01T00:00:00.000Z'],
        ['paid', '2030-07-10T00:00:00.000Z'],
      ]);
      expect(await shop.eventsOf(id)).to.deep.equal([
        'subscription.created 2030-04-01T00:00:00.000Z',
        'subscription.payment_failed 2030-05-01T00:00:00.000Z',
        'subscription.recovered 2030-07-10T00:00:00.000Z',
        'subscription.renewed 2030-07-10T00:00:00.000Z',
      ]);
    });

    it('leaves one unpaid that has no payment method on its last day', async () => {
      await set({ after_last_attempt: 'leave_unpaid' });
      const clock = await shop.clock(START);
      const customer = await shop.customer(clock);
      const { id } = await subscribe(customer, await shop.newPrice(1_000));
      const { data } = await shop.read(`/v1/customers/${customer}/payment_methods`);
      for (const method of data as Json[]) {
        await shop.make(`/v1/payment_methods/${String(method['id'])}/detach`);
      }
      await shop.advance(clock, '2030-05-20T00:00:00.000Z');
      expect(await shop.subscription(id)).to.include({ status: 'unpaid' });
      expect((await invoicesOf(id)).at(-1)?.[0]).to.equal('uncollectible');
    });
  });

  describe('catch_up', () => {
    const missed = async () => {
      const daily = await shop.newPrice(500, { recurring: { interval: 'day' } });
      const { id } = await subscribe(await newCustomer(), daily);
      app.clock.advance(4 * DAY_MS);
      return billed(id, 5);
    };

    it('charges each period that was missed', async () => {
      const states = (await missed()).map(({ status }) => status);
      expect(states).to.deep.equal(['paid', 'paid', 'paid', 'paid', 'paid']);
    });

    it('charges the newest, and makes the others void', async () => {
      await set({ catch_up: 'bill_latest' });
      const invoices = await missed();
      expect(invoices.map(({ status }) => status)).to.deep.equal([
        'paid',
        'void',
        'void',
        'void',
        'paid',
      ]);
      expect(invoices.map((each) => each['charge'] !== null)).to.deep.equal([
        true,
        false,
        false,
        false,
        true,
      ]);
    });

    it('leaves what waits for an invoice, and the balance, to the newest', async () => {
      await set({ catch_up: 'bill_latest' });
      const customer = await newCustomer();
      const daily = await shop.newPrice(500, { recurring: { interval: 'day' } });
      const { id } = await subscribe(customer, daily);
      await shop.make(`/v1/customers/${customer}/balance_transactions`, {
        amount: -100,
        currency: 'eur',
      });
      await shop.make('/v1/invoiceitems', { customer, amount: 30, currency: 'eur' });
      app.clock.advance(2 * DAY_MS);
      const [, skipped, charged] = await billed(id, 3);
      expect(skipped).to.include({ status: 'void', total: 500, starting_balance: 0 });
      expect(charged).to.include({ status: 'paid', total: 530, amount_due: 430 });
    });
  });

  describe('cancel_on_dispute', () => {
    const lose = async () => {
      const clock = await shop.clock(START);
      const customer = await shop.customer(clock, 'pm_card_createDispute');
      const price = await shop.newPrice(1_000);
      const disputed = await subscribe(customer, price);
      const method = await shop.attach(customer, 'pm_card_visa');
      const more = { customer, items: [{ price }], default_payment_method: method };
      const other = await shop.make('/v1/subscriptions', more);
      await shop.advance(clock, '2030-04-20T00:00:00.000Z');
      const { data } = await shop.read(`/v1/disputes?test_clock=${clock}`);
      const [dispute] = data as Json[];
      await shop.make(`/v1/disputes/${String(dispute?.['id'])}/close`);
      await shop.advance(clock, '2030-04-20T00:00:01.000Z');
      return [await shop.subscription(disputed['id']), await shop.subscription(other['id'])];
    };

    it('is off: a dispute that is lost changes no subscription', async () => {
      const [disputed] = await lose();
      expect(disputed).to.include({ status: 'active' });
    });

    it('ends it when a bank debit returns after it has cleared', async () => {
      await set({ cancel_on_dispute: true });
      const clock = await shop.clock(START);
      const customer = await shop.customer(clock, 'pm_usBankAccount_dispute');
      const price = await shop.newPrice(1_000, { currency: 'usd' });
      const { id } = await subscribe(customer, price);
      await shop.advance(clock, '2030-04-25T00:00:00.000Z');
      const { data } = await shop.read(`/v1/disputes?test_clock=${clock}`);
      expect((data as Json[]).map(({ status }) => status)).to.deep.equal(['lost']);
      expect(await shop.subscription(id)).to.deep.include({
        status: 'canceled',
        cancellation_details: { comment: null, feedback: null, reason: 'payment_disputed' },
      });
    });

    it('is kept when a worker could not end the subscription at once', async () => {
      await set({ cancel_on_dispute: true });
      const clock = await shop.clock(START);
      const customer = await shop.customer(clock, 'pm_card_createDispute');
      const { id } = await subscribe(customer, await shop.newPrice(1_000));
      await shop.advance(clock, '2030-04-20T00:00:00.000Z');
      const { data } = await shop.read(`/v1/disputes?test_clock=${clock}`);
      await shop.make(`/v1/disputes/${String((data as Json[])[0]?.['id'])}/close`);
      // As after a failure: it was woken, and is looked at again later.
      await query(
        app.databaseUrl,
        `DELETE FROM paymount.subscription_wakes; UPDATE paymount.subscriptions
          SET next_action_at = '2030-04-20T00:10:00Z' WHERE id = '${String(id)}'`,
      );
      await shop.advance(clock, '2030-04-20T00:10:00.000Z');
      expect(await shop.subscription(id)).to.include({ status: 'canceled' });
      const rows = await query(app.databaseUrl, 'SELECT FROM paymount.disputed_subscriptions');
      expect(rows).to.have.lengthOf(0);
    });

    it('ends the subscription of the charge, and no other', async () => {
      await set({ cancel_on_dispute: true });
      const [disputed, other] = await lose();
      expect(disputed).to.deep.include({
        status: 'canceled',
        cancellation_details: { comment: null, feedback: null, reason: 'payment_disputed' },
      });
      expect(other).to.include({ status: 'active' });
      expect(
        (await shop.eventsOf(String(disputed?.['id']))).map((each) => each.split(' ')[0]),
      ).to.deep.equal(['subscription.created', 'subscription.canceled']);
    });
  });
});
