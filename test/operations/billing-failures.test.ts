import { expect } from 'chai';
import { type AdminApp, startAdminApp } from '../support/admin-app.ts';
import { type FakeClock, fakeClock } from '../support/clock.ts';
import { query } from '../support/database.ts';
import { SubscriptionSetup } from '../support/subscription-setup.ts';
import { writtenLog } from '../support/written-log.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** The furthest from zero that a balance may be. */
const FULL = -1_000_000_000_000;
const REASON = { reason: 'The balance was corrected.' };

type Json = Readonly<Record<string, unknown>>;

describe('What is due of billing, and fails each time', () => {
  let app: AdminApp;
  let clock: FakeClock;
  let shop: SubscriptionSetup;
  let log: ReturnType<typeof writtenLog>;
  beforeEach(async () => {
    clock = fakeClock();
    log = writtenLog();
    app = await startAdminApp({ clock, paymount: { logger: log.logger }, environment: 'test' });
    shop = new SubscriptionSetup(app);
  });
  afterEach(() => app.close());

  const newCustomer = async (): Promise<string> => {
    const card = 'pm_card_visa';
    const settings = { invoice_settings: { default_payment_method: card } };
    return String((await shop.make('/v1/customers', { payment_method: card, ...settings }))['id']);
  };
  const subscribe = async (customer: string): Promise<string> => {
    const price = await shop.newPrice(1_000);
    return String((await shop.make('/v1/subscriptions', { customer, items: [{ price }] }))['id']);
  };
  const move = (customer: string, amount: number) =>
    shop.make(`/v1/customers/${customer}/balance_transactions`, { amount, currency: 'eur' });
  /** A credit waits, and the balance of the customer can take none: each renewal fails. */
  const fillBalance = async (customer: string): Promise<void> => {
    await shop.make('/v1/invoiceitems', { customer, amount: -5_000, currency: 'eur' });
    await move(customer, -1);
    await query(
      app.databaseUrl,
      `SET session_replication_role = replica;
       UPDATE paymount.customer_balance_transactions SET amount = ${FULL}, ending_balance = ${FULL}
         WHERE customer_id = '${customer}';
       UPDATE paymount.customers SET balances = '{"eur": ${FULL}}' WHERE id = '${customer}'`,
    );
  };
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await app.worker.drain();
  };
  const admin = async (path: string, body?: object): Promise<Json> => {
    const { status, text, json } = await app.admin(path, body && { body });
    expect(status, text).to.equal(200);
    return json;
  };
  const listed = async (path: string): Promise<readonly unknown[]> =>
    ((await admin(path))['data'] as Json[]).map(({ id }) => id);
  const errors = (): readonly Json[] =>
    log
      .text()
      .split('\n')
      .filter(Boolean)
      .map((line): Json => JSON.parse(line))
      .filter(({ level }) => level === 50);
  const failure = async (id: string): Promise<Json> =>
    (await admin(`/subscriptions/${id}`))['failing'] as Json;

  it('is tried ever less often, up to once an hour, counted, and logged once', async () => {
    const customer = await newCustomer();
    const failing = await subscribe(customer);
    const other = await subscribe(await newCustomer());
    await fillBalance(customer);
    await pass(31 * DAY_MS);
    // The other one does not wait for it.
    expect((await shop.invoicesOf(other)).map(({ status }) => status)).to.deep.equal([
      'paid',
      'paid',
    ]);
    const first = await failure(failing);
    expect(first['count']).to.equal(1);
    await pass(9 * MINUTE_MS);
    expect(await failure(failing)).to.deep.equal(first);
    const counts: unknown[] = [];
    for (const minutes of [1, 20, 40, 60, 60, 60]) {
      await pass(minutes * MINUTE_MS);
      counts.push((await failure(failing))['count']);
    }
    expect(counts).to.deep.equal([2, 3, 4, 5, 6, 7]);
    expect(await failure(failing)).to.deep.equal({ ...first, count: 7 });
    expect(await listed('/subscriptions?failing=true')).to.deep.equal([failing]);
    expect(errors().map(({ subscription }) => subscription)).to.deep.equal([failing]);
  });

  it('is tried at once when an admin asks, and forgotten when it succeeds', async () => {
    const customer = await newCustomer();
    const id = await subscribe(customer);
    await fillBalance(customer);
    await pass(31 * DAY_MS);
    expect((await failure(id))['count']).to.equal(1);
    await move(customer, 90_000_000);
    await app.worker.drain();
    expect((await failure(id))['count']).to.equal(1);
    await admin(`/subscriptions/${id}/retry_work`, REASON);
    await app.worker.drain();
    expect(await failure(id)).to.equal(null);
    expect((await shop.invoicesOf(id)).map(({ total, status }) => [total, status])).to.deep.equal([
      [1_000, 'paid'],
      [-4_000, 'paid'],
    ]);
  });
});
