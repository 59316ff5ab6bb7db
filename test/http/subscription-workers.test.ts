import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { query } from '../support/database.ts';
import { SubscriptionSetup } from '../support/subscription-setup.ts';

const START = '2030-01-31T12:00:00.000Z';

type Json = Readonly<Record<string, unknown>>;

describe('What workers do about subscriptions', () => {
  let app: TestApp;
  let shop: SubscriptionSetup;
  let clock: string;
  let customer: string;
  before(async () => {
    app = await startApp();
    shop = new SubscriptionSetup(app);
  });
  after(() => app.close());
  beforeEach(async () => {
    clock = await shop.clock(START);
    customer = await shop.customer(clock);
  });

  const advance = (to: string) => shop.advance(clock, new Date(to).toISOString());
  const subscribe = (price: string, more: object = {}): Promise<Json> =>
    shop.make('/v1/subscriptions', { customer, items: [{ price }], ...more });
  const path = (of: Json): string => `/v1/subscriptions/${String(of['id'])}`;
  const statusOf = async (of: Json): Promise<unknown> =>
    (await shop.subscription(of['id']))['status'];
  const invoice = (of: Json | undefined): Promise<Json> =>
    shop.read(`/v1/invoices/${String(of?.['id'])}`);
  const refunded = async (of: Json): Promise<unknown> =>
    (await shop.read(`/v1/charges/${String(of['charge'])}`))['amount_refunded'];
  const account = async (token: string): Promise<string> => {
    const method = await shop.make('/v1/payment_methods', {
      type: 'us_bank_account',
      us_bank_account: { token },
      billing_details: { name: 'Ada' },
      mandate_data: { customer_acceptance: { type: 'offline' } },
    });
    await shop.make(`/v1/payment_methods/${String(method['id'])}/attach`, { customer });
    return String(method['id']);
  };
  /** As a process of the previous version leaves it, which records results of charges without their invoices. */
  const asUnknownToInvoice = (of: Json | undefined, status: 'open' | 'uncollectible') =>
    query(
      app.databaseUrl,
      `SET session_replication_role = replica;
       UPDATE paymount.invoices SET status = '${status}', paid_at = NULL WHERE id = '${String(of?.['id'])}';
       UPDATE paymount.subscriptions SET charging_invoice_id = '${String(of?.['id'])}', next_action_at = NULL
         WHERE id = '${String(of?.['subscription'])}'`,
    );

  it('keeps a debit of an old invoice that clears after the end, however many are open', async () => {
    const day = { currency: 'usd', recurring: { interval: 'day' } };
    const made = await subscribe(await shop.newPrice(1_000, day), {
      collection_method: 'send_invoice',
      days_until_due: 60,
    });
    await advance('2030-02-20T13:00:00Z');
    const [first] = await shop.invoicesOf(made['id']);
    await shop.make(`/v1/invoices/${String(first?.['id'])}/pay`, {
      payment_method: await account('btok_us'),
    });
    await shop.delete(path(made));
    await advance('2030-03-05T13:00:00Z');
    const after = await shop.invoicesOf(made['id']);
    expect(after.map((each) => each['status'])).to.deep.equal([
      'paid',
      ...Array.from({ length: 20 }, () => 'void'),
    ]);
    // It pays for a day that was used.
    expect(await refunded(after[0] ?? {})).to.equal(0);
  });

  it('gives back what was paid to the previous version before an end', async () => {
    const made = await subscribe(await shop.newPrice(1_000));
    const [first] = await shop.invoicesOf(made['id']);
    await asUnknownToInvoice(first, 'open');
    await shop.delete(path(made));
    expect(await invoice(first)).to.include({ status: 'open' });
    await app.worker.drain();
    await advance('2030-02-01T12:00:00Z');
    const after = await invoice(first);
    expect(after).to.include({ status: 'paid' });
    expect(await refunded(after)).to.equal(1_000);
  });

  it('learns that the previous version was paid an uncollectible invoice', async () => {
    const made = await subscribe(await shop.newPrice(1_000));
    const [first] = await shop.invoicesOf(made['id']);
    await asUnknownToInvoice(first, 'uncollectible');
    await app.worker.drain();
    expect(await invoice(first)).to.include({ status: 'paid' });
    await advance('2030-02-28T13:00:00Z');
    expect(await shop.subscription(made['id'])).to.include({ status: 'active', period_index: 1 });
  });

  it('records every result that the previous version left, also if one of them fails', async () => {
    const made = await subscribe(await shop.newPrice(1_000));
    const other = await subscribe(await shop.newPrice(1_000));
    const [first] = await shop.invoicesOf(made['id']);
    const [second] = await shop.invoicesOf(other['id']);
    await asUnknownToInvoice(first, 'open');
    await asUnknownToInvoice(second, 'open');
    const broken = (calendar: string) =>
      query(
        app.databaseUrl,
        `UPDATE paymount.subscriptions SET items = ${calendar} WHERE id = '${String(made['id'])}'`,
      );
    await broken(`jsonb_set(items, '{0,priceId}', '"price_gone"')`);
    await app.worker.drain();
    expect([(await invoice(first))['status'], (await invoice(second))['status']]).to.deep.equal([
      'open',
      'paid',
    ]);
    const { data } = made['items'] as { data: { price: Json }[] };
    await broken(`jsonb_set(items, '{0,priceId}', '"${String(data[0]?.price['id'])}"')`);
    await app.worker.drain();
    expect(await invoice(first)).to.include({ status: 'paid' });
  });

  describe('about money that is to be given back, and is disputed', () => {
    let first: Json;
    /** The customer canceled, and disputes what was charged. */
    const disputed = async (): Promise<string> => {
      const made = await subscribe(await shop.newPrice(1_000), {
        default_payment_method: await shop.attach(customer, 'pm_card_createDispute'),
      });
      await advance('2030-02-20T13:00:00Z');
      await shop.delete(path(made));
      [first = {}] = await shop.invoicesOf(made['id']);
      // As after a debit that cleared after the end.
      await query(
        app.databaseUrl,
        `UPDATE paymount.invoices SET is_abandoned = true, next_action_at = '${START}'
          WHERE id = '${String(first['id'])}'`,
      );
      await advance('2030-02-20T14:00:00Z');
      const { data } = await shop.read(`/v1/disputes?charge=${String(first['charge'])}`);
      return `/v1/disputes/${String((data as Json[])[0]?.['id'])}`;
    };
    const answer = (dispute: string, text: string) =>
      shop.make(dispute, { evidence: { uncategorized_text: text }, submit: true });
    const waits = async (): Promise<unknown> => {
      const [row] = await query<{ next_action_at: Date | null; refund_failure: string | null }>(
        app.databaseUrl,
        `SELECT next_action_at, refund_failure FROM paymount.invoices WHERE id = '${String(first['id'])}'`,
      );
      return [row?.next_action_at !== null, row?.refund_failure];
    };

    it('is given back when the dispute is won', async () => {
      const dispute = await disputed();
      expect([await refunded(first), await waits()]).to.deep.equal([0, [true, null]]);
      await answer(dispute, 'winning_evidence');
      await advance('2030-05-20T14:00:00Z');
      expect((await shop.read(dispute))['status']).to.equal('won');
      expect([await refunded(first), await waits()]).to.deep.equal([1_000, [false, null]]);
    });

    it('is not given back again when the dispute is lost', async () => {
      const dispute = await disputed();
      await answer(dispute, 'losing_evidence');
      await advance('2030-05-20T14:00:00Z');
      expect((await shop.read(dispute))['status']).to.equal('lost');
      expect([await refunded(first), await waits()]).to.deep.equal([0, [true, null]]);
      await advance('2030-10-10T14:00:00Z');
      expect([await refunded(first), await waits()]).to.deep.equal([0, [false, null]]);
    });
  });

  it('give money back also for an account that is suspended', async () => {
    const card = 'pm_card_visa';
    const settings = { payment_method: card, invoice_settings: { default_payment_method: card } };
    const { id } = await shop.make('/v1/customers', settings);
    const made = await subscribe(await shop.newPrice(1_000), { customer: id });
    await shop.delete(path(made));
    const [first] = await shop.invoicesOf(made['id']);
    await app.paymount.accounts.suspend(app.account);
    // As after a debit that cleared after the end.
    await query(
      app.databaseUrl,
      `UPDATE paymount.invoices SET is_abandoned = true, next_action_at = created
        WHERE id = '${String(first?.['id'])}'`,
    );
    await app.worker.drain();
    await app.paymount.accounts.resume(app.account);
    expect(await refunded(first ?? {})).to.equal(1_000);
  });

  describe('of a customer who is deleted', () => {
    const gone = () => shop.delete(`/v1/customers/${customer}`);

    it('end, one by one, while the outcome of a charge of another one is not known', async () => {
      const price = await shop.newPrice(1_000);
      const made = await subscribe(price);
      const unknown = await subscribe(price);
      const charging = (invoice: string) =>
        query(
          app.databaseUrl,
          `UPDATE paymount.subscriptions SET charging_invoice_id = ${invoice}, next_action_at = NULL
            WHERE id = '${String(unknown['id'])}'`,
        );
      await charging(`'in_unknown'`);
      await gone();
      await advance('2030-02-01T12:00:00Z');
      expect([await statusOf(made), await statusOf(unknown)]).to.deep.equal(['canceled', 'active']);
      // The outcome is known, and is the next change of it.
      await charging('NULL');
      await shop.make(path(unknown), { metadata: { seen: 'yes' } });
      await advance('2030-02-02T12:00:00Z');
      expect(await statusOf(unknown)).to.equal('canceled');
    });

    const woken = {
      'a worker': 'is_woken = true',
      'a worker of the previous version': 'is_woken = false',
    };
    for (const [who, mark] of Object.entries(woken)) {
      it(`end also if nothing is due of them, and somebody changes them after ${who} has woken them`, async () => {
        const made = await subscribe(await shop.newPrice(1_000), {
          trial_end: '2030-02-10T12:00:00.000Z',
          trial_settings: { end_behavior: { missing_payment_method: 'pause' } },
        });
        await shop.make(`/v1/customers/${customer}`, {
          invoice_settings: { default_payment_method: '' },
        });
        await advance('2030-02-11T12:00:00Z');
        expect(await statusOf(made)).to.equal('paused');
        // Nobody has looked at it yet.
        await query(
          app.databaseUrl,
          `UPDATE paymount.subscriptions SET ${mark}, next_action_at = created
          WHERE id = '${String(made['id'])}';
         UPDATE paymount.customers SET deleted_at = now() WHERE id = '${customer}';
         DELETE FROM paymount.subscription_wakes`,
        );
        await shop.make(path(made), { metadata: { seen: 'yes' } });
        await advance('2030-02-11T13:00:00Z');
        expect(await statusOf(made)).to.equal('canceled');
      });
    }
  });

  describe('made at the same time', () => {
    it('are no more than a customer may have', async () => {
      const price = await shop.newPrice(1_000);
      const first = await subscribe(price, { trial_period_days: 30 });
      const [columns] = await query<{ names: string }>(
        app.databaseUrl,
        `SELECT string_agg(quote_ident(column_name), ', ') AS names FROM information_schema.columns
          WHERE table_schema = 'paymount' AND table_name = 'subscriptions'
            AND column_name NOT IN ('id', 'items')`,
      );
      await query(
        app.databaseUrl,
        `INSERT INTO paymount.subscriptions (id, items, ${columns?.names})
          SELECT id || n, jsonb_set(items, '{0,id}', to_jsonb((items -> 0 ->> 'id') || n)), ${columns?.names}
          FROM paymount.subscriptions, generate_series(1, 498) n WHERE id = '${String(first['id'])}'`,
      );
      const body = { customer, items: [{ price }], trial_period_days: 30 };
      const all = await Promise.all([1, 2, 3].map(() => shop.post('/v1/subscriptions', body)));
      expect(all.map(({ status }) => status).toSorted()).to.deep.equal([200, 400, 400]);
    });

    it('make no more prices of a product than it may have', async () => {
      const price = await shop.newPrice(1_000);
      const { product } = await shop.read(`/v1/prices/${price}`);
      await query(
        app.databaseUrl,
        `UPDATE paymount.products SET price_count = 9999 WHERE id = '${String(product)}'`,
      );
      const data = { currency: 'eur', product, unit_amount: 1, recurring: { interval: 'month' } };
      const item = { price_data: data };
      const body = (items: readonly object[]) => ({ customer, items, trial_period_days: 30 });
      expect(await shop.refusal('/v1/subscriptions', body([item, item]))).to.deep.equal([
        400,
        'price_limit_reached',
        'items[1][price_data][product]',
      ]);
      await shop.make('/v1/subscriptions', body([item]));
      expect((await shop.post('/v1/subscriptions', body([item]))).status).to.equal(400);
    });
  });

  it('leave a history that verification accepts after a declined change in the first period', async () => {
    const made = await subscribe(await shop.newPrice(1_000));
    const bad = await shop.attach(customer, 'pm_card_visa_chargeDeclinedInsufficientFunds');
    await shop.useMethod(customer, bad);
    const { data } = made['items'] as { data: Json[] };
    await shop.make(path(made), {
      items: [{ id: data[0]?.['id'], quantity: 3 }],
      proration_behavior: 'always_invoice',
    });
    expect((await shop.eventsOf(String(made['id']))).length).to.equal(2);
    const broken = await app.paymount.verify();
    expect(broken.filter(({ rule }) => /renewed or its payment/.test(rule))).to.deep.equal([]);
  });

  it('let a preview wait for a change of the same subscription, and no invoice wait for a preview', async () => {
    const made = await subscribe(await shop.newPrice(1_000));
    const { data } = made['items'] as { data: Json[] };
    const items = [{ id: data[0]?.['id'], quantity: 2 }];
    const details = { subscription: made['id'], subscription_details: { items } };
    const both = [1, 2, 3, 4].flatMap((n) => [
      shop.post(path(made), { metadata: { n: `${n}` } }),
      shop.post('/v1/invoices/create_preview', details),
    ]);
    expect((await Promise.all(both)).map(({ status }) => status)).to.deep.equal(Array(8).fill(200));
  });
});
