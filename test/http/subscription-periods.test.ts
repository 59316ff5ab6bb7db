import { expect } from 'chai';
import { startApp, type TestApp } from '../support/app.ts';
import { query } from '../support/database.ts';
import { SubscriptionSetup } from '../support/subscription-setup.ts';

const START = '2030-04-10T00:00:00.000Z';

describe('The periods of subscriptions that began in the past', () => {
  let app: TestApp;
  let shop: SubscriptionSetup;
  let clock: string;
  let customer: string;
  before(async () => {
    app = await startApp();
    shop = new SubscriptionSetup(app);
  });
  after(async () => {
    const broken = await app.paymount.verify();
    await app.close();
    expect(broken).to.deep.equal([]);
  });
  beforeEach(async () => {
    clock = await shop.clock(START);
    customer = await shop.customer(clock);
  });

  const periods = (id: unknown) =>
    query(
      app.databaseUrl,
      `SELECT p.index, p.starts_at, p.ends_at, i.period_index FROM paymount.billing_periods p
       LEFT JOIN paymount.invoices i ON i.id = p.invoice_id WHERE p.subscription_id = $1 ORDER BY index`,
      [id],
    );
  const at = (text: string) => new Date(`${text}T00:00:00.000Z`);

  it('are adjacent when their past time is billed', async () => {
    const { id } = await shop.make('/v1/subscriptions', {
      customer,
      items: [{ price: await shop.newPrice(1_000) }],
      backdate_start_date: '2030-03-01T00:00:00Z',
    });
    await shop.advance(clock, '2030-05-20T00:00:00.000Z');
    const rows = await periods(id);
    expect(rows.map(({ index, starts_at: from, ends_at: to }) => [index, from, to])).to.deep.equal([
      [0, at('2030-03-01'), at('2030-04-10')],
      [1, at('2030-04-10'), at('2030-05-10')],
      [2, at('2030-05-10'), at('2030-06-10')],
    ]);
  });

  it('are adjacent when they are imported', async () => {
    const { id } = await shop.make('/v1/subscriptions', {
      customer,
      items: [{ price: await shop.newPrice(1_000) }],
      backdate_start_date: '2030-01-20T00:00:00Z',
      billing_cycle_anchor: '2030-04-20T00:00:00Z',
      proration_behavior: 'none',
    });
    await shop.advance(clock, '2030-05-01T00:00:00.000Z');
    const rows = await periods(id);
    expect(rows.map(({ index, starts_at: from, ends_at: to }) => [index, from, to])).to.deep.equal([
      [0, at('2030-01-20'), at('2030-03-20')],
      [1, at('2030-03-20'), at('2030-04-20')],
      [2, at('2030-04-20'), at('2030-05-20')],
    ]);
  });
});
