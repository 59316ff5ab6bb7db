import { expect } from 'chai';
import createKnex, { type Knex } from 'knex';
import type { HookPayload, HostHook } from 'paymount';
import { fakeClock } from '../support/clock.ts';
import {
  INVOICED_AT,
  type InvoiceShop,
  refusal,
  startInvoiceShop,
} from '../support/invoice-shop.ts';

const DAY = 86_400_000;
const MINUTE = 60_000;

describe('The hook of subscriptions', () => {
  const clock = fakeClock(INVOICED_AT);
  let shop: InvoiceShop;
  let knex: Knex;
  let customer: string;
  let told: HookPayload[] = [];
  let refused: string | undefined;
  before(async () => {
    const hook: HostHook = async (trx, settled) => {
      if ('event' in settled && settled.event === 'finalizing') return;
      await trx.query('INSERT INTO told VALUES ($1)', [describeCall(settled)]);
      if (describeCall(settled) === refused) throw new Error('The shop is closed.');
      told.push(settled);
    };
    shop = await startInvoiceShop({ paymount: { hook, clock } });
    knex = createKnex({ client: 'pg', connection: shop.databaseUrl, pool: { min: 0, max: 2 } });
    await knex.schema.createTable('told', (table) => table.text('call'));
  });
  after(async () => {
    await knex.destroy();
    await shop.close();
  });
  beforeEach(async () => {
    refused = undefined;
    customer = await shop.newCustomer('pm_card_visa');
    told = [];
    await knex('told').delete();
  });

  const calls = () => told.map(describeCall);
  const rows = async (): Promise<string[]> =>
    (await knex('told').select('call')).map(({ call }) => String(call));
  const subscribe = async (amount: number, more: object = {}) => {
    const price = {
      currency: 'eur',
      unit_amount: amount,
      recurring: { interval: 'month' },
      product: String((await shop.make('/products', { name: 'Tea' }))['id']),
    };
    const made = await shop.make('/subscriptions', {
      customer,
      items: [{ price_data: price }],
      ...more,
    });
    return String(made['id']);
  };
  const read = (id: string) => shop.read(`/subscriptions/${id}`);
  const pass = async (ms: number) => {
    told = [];
    clock.advance(ms);
    await shop.worker.drain();
  };

  it('is not called for a preview, of which nothing is kept', async () => {
    const id = await subscribe(1_900);
    told = [];
    const { items } = await read(id);
    const [item] = (items as { data: { id: string; price: { id: string } }[] }).data;
    const preview = (body: object) => shop.make('/invoices/create_preview', body);
    const price = { price: item?.price.id };
    const later = new Date(clock.now().getTime() + 10 * DAY).toISOString();
    const imported = { billing_cycle_anchor: later, proration_behavior: 'none' };
    await preview({ customer, subscription_details: { items: [price], ...imported } });
    await preview({ customer, subscription_details: { items: [price] } });
    const more = { items: [{ id: item?.id, quantity: 3 }] };
    for (const behavior of ['always_invoice', 'create_prorations']) {
      const details = { ...more, proration_behavior: behavior };
      await preview({ subscription: id, subscription_details: details });
    }
    await preview({ subscription: id, subscription_details: { cancel_now: true } });
    expect(calls()).to.deep.equal([]);
    await shop.remove(`/subscriptions/${id}`);
  });

  it('is called after the charge and the invoice, in the transaction of the event', async () => {
    const id = await subscribe(1_900);
    expect(calls()).to.deep.equal([
      'finalized open',
      'charge succeeded',
      'paid paid',
      'subscription.created active',
    ]);
    const owner = { account: shop.account, environment: 'test' };
    const event = 'subscription.created';
    const subscription = await read(id);
    expect(told[3]).to.deep.equal({ kind: 'subscription', event, ...owner, subscription });
    await pass(31 * DAY);
    expect(calls()).to.deep.equal([
      'finalized open',
      'charge succeeded',
      'paid paid',
      'subscription.renewed active',
    ]);
    const refusing = await shop.attach(customer, 'pm_card_chargeCustomerFail');
    await shop.make(`/subscriptions/${id}`, { default_payment_method: refusing });
    await pass(31 * DAY);
    expect(calls()).to.deep.equal([
      'finalized open',
      'charge failed',
      'subscription.payment_failed past_due',
    ]);
    const good = await shop.attach(customer, 'pm_card_visa');
    told = [];
    await shop.make(`/subscriptions/${id}`, { default_payment_method: good });
    await shop.worker.drain();
    expect(calls()).to.deep.equal([
      'charge succeeded',
      'paid paid',
      'subscription.recovered active',
    ]);
    told = [];
    expect((await shop.remove(`/subscriptions/${id}`)).status).to.equal(200);
    expect(calls()).to.deep.equal(['subscription.canceled canceled']);
    expect(await rows()).to.have.length(15);
  });

  it('is called where nothing is charged: free periods, and an end by time', async () => {
    const id = await subscribe(0);
    const free = ['finalized paid', 'paid paid'];
    expect(calls()).to.deep.equal([...free, 'subscription.created active']);
    await pass(31 * DAY);
    expect(calls()).to.deep.equal([...free, 'subscription.renewed active']);
    await shop.make(`/subscriptions/${id}`, { cancel_at_period_end: true });
    await pass(31 * DAY);
    expect(calls()).to.deep.equal(['subscription.canceled canceled']);
  });

  it('leaves the period due if it throws, and is asked again ten minutes later', async () => {
    const id = await subscribe(0);
    await knex('told').delete();
    refused = 'subscription.renewed active';
    await pass(31 * DAY);
    expect(await rows()).to.deep.equal([]);
    expect(await read(id)).to.include({ status: 'active', period_index: 0 });
    expect(await shop.list(`/invoices?subscription=${id}`)).to.have.length(1);
    refused = undefined;
    await pass(11 * MINUTE);
    expect(await rows()).to.deep.equal([
      'finalized paid',
      'paid paid',
      'subscription.renewed active',
    ]);
    expect(await read(id)).to.include({ status: 'active', period_index: 1 });
  });

  it('refuses a request by name if it throws, and nothing is kept', async () => {
    const id = await subscribe(0);
    refused = 'subscription.canceled canceled';
    const conflict = [409, 'hook_refused', undefined];
    expect(await refusal(shop.remove(`/subscriptions/${id}`))).to.deep.equal(conflict);
    expect(await read(id)).to.include({ status: 'active', ended_at: null });
    refused = 'subscription.created active';
    await knex('told').delete();
    const product = String((await shop.make('/products', { name: 'Tea' }))['id']);
    const recurring = { interval: 'month' };
    const data = { currency: 'eur', unit_amount: 0, recurring, product };
    const items = [{ price_data: data }];
    expect(await refusal(shop.post('/subscriptions', { customer, items }))).to.deep.equal(conflict);
    expect(await shop.list(`/subscriptions?customer=${customer}`)).to.have.length(1);
    expect(await rows()).to.deep.equal([]);
  });
});

function describeCall(settled: HookPayload): string {
  switch (settled.kind) {
    case 'invoice':
      return `${settled.event} ${settled.invoice.status}`;
    case 'charge':
      return `charge ${settled.charge.status}`;
    case 'subscription':
      return `${settled.event} ${settled.subscription.status}`;
    case 'refund':
    case 'dispute':
    case 'payout':
      return settled.kind;
  }
}
