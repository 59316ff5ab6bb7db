import { expect } from 'chai';
import pg from 'pg';
import { startApp, type TestApp } from '../support/app.ts';
import { ask, postJson, type Reply } from '../support/ask.ts';
import { SubscriptionSetup } from '../support/subscription-setup.ts';

const START = '2030-01-31T12:00:00.000Z';

/** An event of a subscription, what recorded it, and the request that asked for it. */
type Cause = readonly [type: string, source: string, request: string | null];

describe('What records the events of a subscription', () => {
  let app: TestApp;
  let shop: SubscriptionSetup;
  let database: pg.Client;
  let clock: string;
  let customer: string;
  let price: string;
  before(async () => {
    app = await startApp();
    shop = new SubscriptionSetup(app);
    database = new pg.Client({ connectionString: app.databaseUrl });
    await database.connect();
  });
  after(async () => {
    await database.end();
    await app.close();
  });
  beforeEach(async () => {
    clock = await shop.clock(START);
    customer = await shop.customer(clock);
    price = await shop.newPrice(1_000);
  });

  const post = (path: string, body: object = {}): Promise<Reply> =>
    postJson(`${app.url}/v1${path}`, body, { key: app.secretKey });
  const subscribe = (more: object = {}): Promise<Reply> =>
    post('/subscriptions', { customer, items: [{ price }], ...more });
  const requestOf = ({ headers }: Reply): string => String(headers['request-id']);
  const causesOf = async (subscription: unknown): Promise<readonly Cause[]> => {
    const { rows } = await database.query<{ type: string; source: string; request_id: string }>(
      'SELECT type, source, request_id FROM paymount.events WHERE object_id = $1 ORDER BY id',
      [subscription],
    );
    return rows.map(({ type, source, request_id: request }) => [type, source, request]);
  };

  it('is the request that created it, paid at once or not, and the one that cancelled it', async () => {
    const paid = await subscribe();
    const trial = await subscribe({ trial_period_days: 7 });
    const id = String(trial.json['id']);
    const path = `${app.url}/v1/subscriptions/${id}`;
    const ended = await ask(path, { method: 'DELETE', key: app.secretKey });
    expect(await causesOf(paid.json['id'])).to.deep.equal([
      ['subscription.created', 'api', requestOf(paid)],
    ]);
    expect(await causesOf(id)).to.deep.equal([
      ['subscription.created', 'api', requestOf(trial)],
      ['subscription.canceled', 'api', requestOf(ended)],
    ]);
  });

  it('is the scheduler when time renews it or a charge of it fails, and the request that pays', async () => {
    const made = await subscribe();
    const { id } = made.json;
    await shop.advance(clock, '2030-02-28T12:00:00.000Z');
    await shop.useMethod(customer, await shop.attach(customer, 'pm_card_chargeCustomerFail'));
    await shop.advance(clock, '2030-03-31T12:00:00.000Z');
    const [, , failed] = await shop.invoicesOf(id);
    const card = await shop.attach(customer, 'pm_card_visa');
    const paid = await post(`/invoices/${String(failed?.['id'])}/pay`, { payment_method: card });
    expect(paid.json['status'], paid.text).to.equal('paid');
    expect(await causesOf(id)).to.deep.equal([
      ['subscription.created', 'api', requestOf(made)],
      ['subscription.renewed', 'scheduler', null],
      ['subscription.payment_failed', 'scheduler', null],
      ['subscription.recovered', 'api', requestOf(paid)],
    ]);
  });

  it('is the request that says that it was paid elsewhere', async () => {
    const made = await subscribe({ payment_behavior: 'default_incomplete' });
    const { id, latest_invoice: invoice } = made.json;
    const paid = await post(`/invoices/${String(invoice)}/pay`, { paid_out_of_band: true });
    expect(await causesOf(id)).to.deep.equal([['subscription.created', 'api', requestOf(paid)]]);
  });
});
