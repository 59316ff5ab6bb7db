import { expect } from 'chai';
import knexModule, { type Knex } from 'knex';
import { startApp, type TestApp } from '../support/app.ts';
import { billingLaws } from '../support/billing-laws.ts';
import { query } from '../support/database.ts';
import { rejectionCode } from '../support/rejection-code.ts';
import { SubscriptionSetup } from '../support/subscription-setup.ts';

type Json = Readonly<Record<string, unknown>>;

const START = '2030-04-01T00:00:00.000Z';
const MIDDLE = '2030-04-16T00:00:00.000Z';
const END = '2030-05-01T00:00:00.000Z';
/** What the bank was asked for. */
const SENT = 'SELECT FROM paymount.sandbox_operations';

/** What other payment systems got wrong about subscriptions, each under the number of the report. */
describe('Known faults of subscriptions', () => {
  let app: TestApp;
  let shop: SubscriptionSetup;
  let knex: Knex;
  let clock: string;
  let customer: string;
  before(async () => {
    app = await startApp();
    shop = new SubscriptionSetup(app);
    knex = knexModule({ client: 'pg', connection: app.databaseUrl });
  });
  after(async () => {
    await knex.destroy();
    const broken = [...(await billingLaws(app.databaseUrl)), ...(await app.paymount.verify())];
    await app.close();
    expect(broken).to.deep.equal([]);
  });
  beforeEach(async () => {
    clock = await shop.clock(START);
    customer = await shop.customer(clock);
  });

  const advance = (to: string) => shop.advance(clock, to);
  const subscribe = (price: string, more: object = {}): Promise<Json> =>
    shop.make('/v1/subscriptions', { customer, items: [{ price }], ...more });
  const path = (of: Json): string => `/v1/subscriptions/${String(of['id'])}`;
  const toPrice = (of: Json, price: string): object => ({
    items: [{ id: (of['items'] as { data: Json[] }).data[0]?.['id'], price }],
  });
  const preview = (of: Json, details: object): Promise<Json> =>
    shop.make('/v1/invoices/create_preview', {
      subscription: of['id'],
      subscription_details: details,
    });
  const linesOf = (invoice: Json = {}): readonly unknown[] =>
    (invoice['lines'] as { data: Json[] }).data.map(({ amount, description, period }) => [
      amount,
      description,
      period,
    ]);
  const listed = async (query: string): Promise<readonly Json[]> =>
    (await shop.read(`/v1/${query}&limit=100`))['data'] as Json[];
  const charges = async (): Promise<readonly unknown[]> =>
    (await listed(`charges?customer=${customer}`))
      .map(({ status, amount, currency }) => [status, amount, currency])
      .toReversed();

  it('previews the period that is then billed, for a change and for another anchor (lago PR 5664)', async () => {
    const made = await subscribe(await shop.newPrice(3_000));
    const pro = await shop.newPrice(6_000);
    await advance(MIDDLE);
    for (const change of [
      { ...toPrice(made, pro), proration_behavior: 'always_invoice' },
      { billing_cycle_anchor: 'now', proration_behavior: 'always_invoice' },
    ]) {
      const shown = await preview(made, change);
      await shop.make(path(made), change);
      const billed = (await shop.invoicesOf(made['id'])).at(-1);
      expect(linesOf(billed)).to.deep.equal(linesOf(shown));
      for (const field of ['total', 'period_start', 'period_end', 'amount_due']) {
        expect(billed?.[field], field).to.deep.equal(shown[field]);
      }
    }
    const next = await preview(made, {});
    expect(next).to.include({ period_start: '2030-05-16T00:00:00.000Z', total: 6_000 });
    await advance('2030-05-16T00:00:00.000Z');
    expect(linesOf((await shop.invoicesOf(made['id'])).at(-1))).to.deep.equal(linesOf(next));
  });

  it('keeps one subscription and one customer when a plan changes (better-auth #3560, #1880, #2440)', async () => {
    const made = await subscribe(await shop.newPrice(3_000));
    const pro = await shop.newPrice(6_000);
    const changed = await shop.make(path(made), toPrice(made, pro));
    expect(changed['id']).to.equal(made['id']);
    await advance(END);
    const all = await listed(`subscriptions?customer=${customer}&status=all`);
    expect(all.map(({ id }) => id)).to.deep.equal([made['id']]);
    expect((await listed(`customers?test_clock=${clock}`)).length).to.equal(1);
    // The whole difference for April is with the renewal: the change was in its first second.
    expect(await charges()).to.deep.equal([
      ['succeeded', 3_000, 'eur'],
      ['succeeded', 9_000, 'eur'],
    ]);
  });

  it('ends a subscription that was never paid without a charge, whatever was sold after it (better-auth #2929)', async () => {
    const price = await shop.newPrice(3_000);
    const left = await subscribe(price, { payment_behavior: 'default_incomplete' });
    expect(left['status']).to.equal('incomplete');
    const paid = await subscribe(price);
    await advance(END);
    expect((await shop.subscription(left['id']))['status']).to.equal('incomplete_expired');
    expect((await shop.subscription(paid['id']))['status']).to.equal('active');
    expect(await charges()).to.deep.equal([
      ['succeeded', 3_000, 'eur'],
      ['succeeded', 3_000, 'eur'],
    ]);
  });

  it('stays active when its plan changes (better-auth #3562)', async () => {
    const made = await subscribe(await shop.newPrice(3_000));
    const pro = await shop.newPrice(6_000);
    await advance(MIDDLE);
    for (const proration_behavior of ['create_prorations', 'none', 'always_invoice']) {
      const changed = await shop.make(path(made), { ...toPrice(made, pro), proration_behavior });
      expect([changed['status'], changed['dunning']], proration_behavior).to.deep.equal([
        'active',
        null,
      ]);
    }
    await advance(END);
    expect((await shop.subscription(made['id']))['status']).to.equal('active');
  });

  it('shows and changes a subscription that was made elsewhere (better-auth #1917)', async () => {
    const price = await shop.newPrice(3_000);
    const acting = { account: app.account, environment: 'test' } as const;
    const made = await knex.transaction((trx) =>
      app.paymount.using(trx).subscriptions.create(acting, {
        customer,
        items: [{ price }],
        trial_period_days: 7,
      }),
    );
    const all = await listed(`subscriptions?customer=${customer}`);
    expect(all.map(({ id, status }) => [id, status])).to.deep.equal([[made.id, 'trialing']]);
    expect(await shop.make(path(all[0] ?? {}), { description: 'Ours' })).to.include({
      id: made.id,
      description: 'Ours',
    });
  });

  it('charges nothing for a subscription whose transaction was rolled back (vendure #3680, saleor #18196)', async () => {
    const price = await shop.newPrice(3_000);
    const acting = { account: app.account, environment: 'test' } as const;
    const sent = async () => (await query(app.databaseUrl, SENT)).length;
    const before = await sent();
    await rejectionCode(
      knex.transaction(async (trx) => {
        await app.paymount
          .using(trx)
          .subscriptions.create(acting, { customer, items: [{ price }] });
        throw new Error('rolled back');
      }),
    );
    await app.worker.drain();
    await advance(END);
    expect(await listed(`subscriptions?customer=${customer}&status=all`)).to.deep.equal([]);
    expect(await charges()).to.deep.equal([]);
    expect(await sent()).to.equal(before);
  });

  it('refuses error_if_incomplete where the answer comes before the charge', async () => {
    const price = await shop.newPrice(3_000);
    const acting = { account: app.account, environment: 'test' } as const;
    const strict = {
      customer,
      items: [{ price }],
      payment_behavior: 'error_if_incomplete',
    } as const;
    const refused = await knex.transaction(async (trx) => {
      const creating = app.paymount.using(trx).subscriptions.create(acting, strict);
      return creating.catch((error: unknown) => error);
    });
    expect(refused).to.include({ code: 'parameter_invalid', param: 'payment_behavior' });
    expect(await listed(`subscriptions?customer=${customer}&status=all`)).to.deep.equal([]);
    expect((await app.paymount.subscriptions.create(acting, strict)).status).to.equal('active');
  });

  it('bills a currency without decimals as it is, and parts of it in whole units (Paymenter #1258, WooCommerce PR 2723)', async () => {
    const made = await subscribe(await shop.newPrice(3_000, { currency: 'jpy' }));
    expect(await charges()).to.deep.equal([['succeeded', 3_000, 'jpy']]);
    const [first] = await shop.invoicesOf(made['id']);
    expect(linesOf(first)).to.deep.equal([
      [3_000, '1 × Basic (at 3,000 JPY / month)', { start: START, end: END }],
    ]);
    const odd = await shop.newPrice(4_001, { currency: 'jpy' });
    await advance(MIDDLE);
    await shop.make(path(made), { ...toPrice(made, odd), proration_behavior: 'always_invoice' });
    // 1,500 back, and 2,000 of 4,001: the first half of an odd price is rounded up.
    expect((await charges()).at(-1)).to.deep.equal(['succeeded', 500, 'jpy']);
  });

  it('charges a period once while nobody knows what the bank did (killbill #1015, active_merchant #866)', async () => {
    const made = await subscribe(await shop.newPrice(3_000));
    await shop.useMethod(customer, await shop.attach(customer, 'pm_card_unknown_forever'));
    await advance(END);
    await shop.useMethod(customer, await shop.attach(customer, 'pm_card_visa'));
    await advance('2030-06-20T00:00:00.000Z');
    expect(await charges()).to.deep.equal([
      ['succeeded', 3_000, 'eur'],
      ['pending', 3_000, 'eur'],
    ]);
    const invoices = await shop.invoicesOf(made['id']);
    expect(invoices.map((each) => [each['status'], each['attempt_count']])).to.deep.equal([
      ['paid', 1],
      ['open', 1],
    ]);
    const path = `/v1/invoices/${String(invoices[1]?.['id'])}/pay`;
    expect(await shop.refusal(path, {})).to.deep.equal([
      409,
      'invoice_payment_in_progress',
      undefined,
    ]);
  });

  it('bills what a change costs besides the renewal of the same second (lago PR 1110)', async () => {
    const made = await subscribe(await shop.newPrice(3_000));
    const pro = await shop.newPrice(6_000);
    await advance(END);
    await shop.make(path(made), { ...toPrice(made, pro), proration_behavior: 'always_invoice' });
    const totals = (await shop.invoicesOf(made['id'])).map(({ total }) => total);
    expect(totals).to.deep.equal([3_000, 3_000, 3_000]);
  });

  it('bills no period of a subscription that ended before a late run (lago PR 958, PR 1308)', async () => {
    const made = await subscribe(await shop.newPrice(3_000), { cancel_at_period_end: true });
    await advance('2030-07-01T00:00:00.000Z');
    expect(await shop.subscription(made['id'])).to.include({ status: 'canceled', ended_at: END });
    expect((await shop.invoicesOf(made['id'])).map(({ total }) => total)).to.deep.equal([3_000]);
  });
});
