import { expect } from 'chai';
import { billingLaws } from '../../support/billing-laws.ts';
import { type Merchant, openSetup, type Setup } from './setup.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

describe('Billing after a long downtime', () => {
  let setup: Setup;
  beforeEach(async () => {
    setup = await openSetup('2030-01-01T00:00:00.000Z');
    // Only the passes that a test asks for.
    await setup.rest();
  });
  afterEach(() => setup.close());

  async function make(merchant: Merchant, path: string, body: object = {}) {
    const { status, json, text } = await merchant.post(path, body);
    expect(status, text).to.equal(200);
    return json;
  }
  /** @returns how to read a subscription, and how to make it */
  async function seller() {
    const merchant = await setup.newMerchant();
    const customer = (await make(merchant, 'customers'))['id'];
    const card = { type: 'card', card: { token: 'tok' } };
    const method = (await make(merchant, 'payment_methods', card))['id'];
    await make(merchant, `payment_methods/${String(method)}/attach`, { customer });
    const price = await make(merchant, 'prices', {
      product_data: { name: 'Daily' },
      currency: 'eur',
      unit_amount: 100,
      recurring: { interval: 'day' },
    });
    const items = [{ price: price['id'] }];
    return {
      merchant,
      subscribe: async () =>
        String(
          (
            await make(merchant, 'subscriptions', {
              customer,
              items,
              default_payment_method: method,
            })
          )['id'],
        ),
      indexOf: async (id: string) =>
        (await merchant.get(`subscriptions/${id}`)).json['period_index'],
    };
  }

  it('bills the oldest period first, one charge at a time, and each once', async () => {
    const shop = await seller();
    const id = await shop.subscribe();
    setup.clock.advance(400 * DAY_MS);
    // The outcome of the next charge is not known for an hour.
    setup.bank.clearingMs = HOUR_MS;
    for (let pass = 0; pass < 3; pass += 1) await setup.bill();
    expect(await shop.indexOf(id)).to.equal(1);
    const { json } = await shop.merchant.get(`invoices?subscription=${id}`);
    const invoices = json['data'] as readonly Readonly<Record<string, unknown>>[];
    expect(invoices.map((each) => [each['period_start'], each['status']])).to.deep.equal([
      ['2030-01-02T00:00:00.000Z', 'open'],
      ['2030-01-01T00:00:00.000Z', 'paid'],
    ]);
    setup.bank.clearingMs = 0;

    // A worker stops for a while when much is due.
    await setup.pass(HOUR_MS);
    for (let drained = 0; drained < 100 && (await shop.indexOf(id)) !== 400; drained += 1) {
      await setup.pass(60_000);
    }
    expect(await shop.indexOf(id)).to.equal(400);
    expect(await billingLaws(setup.databaseUrl, setup.clock.now())).to.deep.equal([]);
  }).timeout(120_000);

  it('bills few of one account in a pass, and others in the same pass', async () => {
    const busy = await seller();
    const other = await seller();
    const ids: string[] = [];
    for (let made = 0; made < 22; made += 1) ids.push(await busy.subscribe());
    const alone = await other.subscribe();
    setup.clock.advance(400 * DAY_MS);
    await setup.bill();
    expect(await other.indexOf(alone)).to.equal(1);
    const indexes = await Promise.all(ids.map(busy.indexOf));
    expect(indexes.filter((index) => index !== 0).length).to.be.within(1, 20);
    expect(Math.max(...indexes.map(Number))).to.equal(1);
  }).timeout(30_000);
});
