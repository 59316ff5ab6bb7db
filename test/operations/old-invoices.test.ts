import { expect } from 'chai';
import { ask, JSON_TYPE } from '../support/ask.ts';
import { fakeClock } from '../support/clock.ts';
import { withClient } from '../support/database.ts';
import { type InvoiceShop, type Json, startInvoiceShop } from '../support/invoice-shop.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('A worker with retention.invoicesDays', () => {
  const clock = fakeClock('2030-01-01T12:00:00.000Z');
  let shop: InvoiceShop;
  before(async () => {
    shop = await startInvoiceShop({ paymount: { clock, retention: { invoicesDays: 365 } } });
  });
  after(async () => {
    const differences = await shop.paymount.verify();
    await shop.close();
    expect(differences).to.deep.equal([]);
  });

  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await shop.worker.drain();
  };
  const remove = async (path: string, body: object = {}): Promise<Json> => {
    const options = { method: 'DELETE', headers: JSON_TYPE, body: JSON.stringify(body) };
    const { status, json, text } = await ask(`${shop.url}/v1${path}`, {
      ...options,
      key: shop.secretKey,
    });
    expect(status, text).to.equal(200);
    return json;
  };
  /** What was said about a customer: an invoice with a text of its own, paid or not. */
  async function newInvoice(customer: string, isPaid: boolean): Promise<string> {
    await shop.newItem(customer, 1_900, {
      description: 'Repair for Ada',
      metadata: { who: 'Ada' },
    });
    const id = await shop.draft(customer, [], {
      description: 'Dear Ada',
      footer: 'Come again, Ada',
      metadata: { who: 'Ada' },
    });
    await shop.make(`/invoices/${id}/finalize`);
    if (isPaid) await shop.make(`/invoices/${id}/pay`);
    return id;
  }
  async function newSubscription(customer: string): Promise<string> {
    const { id: price } = await shop.make('/prices', {
      product_data: { name: 'Basic' },
      currency: 'eur',
      unit_amount: 1_000,
      recurring: { interval: 'month' },
    });
    const { id } = await shop.make('/subscriptions', {
      customer,
      items: [{ price, metadata: { who: 'Ada' } }],
      description: 'For Ada',
      metadata: { who: 'Ada' },
    });
    return String(id);
  }
  const textsOf = (invoice: Json): readonly unknown[] => [
    invoice['customer_name'],
    invoice['customer_email'],
    invoice['description'],
    invoice['footer'],
    invoice['metadata'],
    (invoice['lines'] as { data: Json[] }).data.map(({ amount, description }) => [
      amount,
      description,
    ]),
  ];
  const WHOLE = [
    'Ada',
    'ada@example.com',
    'Dear Ada',
    'Come again, Ada',
    { who: 'Ada' },
    [[1_900, 'Repair for Ada']],
  ];

  it('keeps an invoice as it was issued, of a deleted customer too, and deletes what names people after that', async () => {
    const customer = await shop.newCustomer('pm_card_visa');
    const paid = await newInvoice(customer, true);
    const [item] = await shop.list(`/invoiceitems?customer=${customer}`);
    await remove(`/customers/${customer}`);
    await pass(364 * DAY);
    const before = await shop.read(`/invoices/${paid}`);
    expect(textsOf(before)).to.deep.equal(WHOLE);
    await pass(DAY + HOUR);
    const after = await shop.read(`/invoices/${paid}`);
    expect(textsOf(after)).to.deep.equal([null, null, null, null, {}, [[1_900, '']]]);
    for (const kept of ['number', 'total', 'amount_paid', 'charge', 'status_transitions']) {
      expect(after[kept], kept).to.deep.equal(before[kept]);
    }
    expect(await shop.read(`/invoiceitems/${String(item?.['id'])}`)).to.deep.include({
      description: '',
      metadata: {},
      amount: 1_900,
    });
  });

  it('keeps what is not paid as it is', async () => {
    const open = await newInvoice(await shop.newCustomer('pm_card_visa'), false);
    await pass(500 * DAY);
    expect(textsOf(await shop.read(`/invoices/${open}`))).to.deep.equal(WHOLE);
  });

  it('deletes the texts of a subscription that ended, and those of no other', async () => {
    const customer = await shop.newCustomer('pm_card_visa');
    const [ended, running] = [await newSubscription(customer), await newSubscription(customer)];
    const comment = { cancellation_details: { comment: 'Ada moves away', feedback: 'other' } };
    await remove(`/subscriptions/${ended}`, comment);
    await pass(364 * DAY);
    expect(await shop.read(`/subscriptions/${ended}`)).to.deep.include({
      description: 'For Ada',
      cancellation_details: { reason: 'cancellation_requested', ...comment.cancellation_details },
    });
    await pass(DAY + HOUR);
    const after = await shop.read(`/subscriptions/${ended}`);
    expect(after).to.deep.include({
      description: null,
      metadata: {},
      cancellation_details: { reason: 'cancellation_requested', comment: null, feedback: 'other' },
    });
    expect((after['items'] as { data: Json[] }).data[0]).to.deep.include({ metadata: {} });
    expect(await shop.read(`/subscriptions/${running}`)).to.deep.include({
      description: 'For Ada',
      metadata: { who: 'Ada' },
    });
  });

  it('deletes what a customer said at the end within an hour after the customer is deleted', async () => {
    const [gone, stays] = [
      await shop.newCustomer('pm_card_visa'),
      await shop.newCustomer('pm_card_visa'),
    ];
    const said = async (customer: string): Promise<string> => {
      const id = await newSubscription(customer);
      await remove(`/subscriptions/${id}`, { cancellation_details: { comment: 'I am Ada' } });
      return id;
    };
    const [first, other] = [await said(gone), await said(stays)];
    await remove(`/customers/${gone}`);
    await pass(HOUR);
    const commentOf = async (id: string) =>
      (await shop.read(`/subscriptions/${id}`))['cancellation_details'];
    expect(await commentOf(first)).to.include({ comment: null });
    expect(await commentOf(other)).to.include({ comment: 'I am Ada' });
  });

  it('lets nobody change what else an invoice says, also as it is expunged', async () => {
    const paid = await newInvoice(await shop.newCustomer('pm_card_visa'), true);
    await withClient(shop.databaseUrl, async (client) => {
      for (const change of [
        'total = 1',
        `lines = jsonb_set(lines, '{0,amount}', '1')`,
        `lines = '[]'`,
        `customer_id = 'cus_other'`,
        'number = 99',
      ]) {
        const sql = `UPDATE paymount.invoices SET expunged_at = now(), ${change} WHERE id = $1`;
        const failure = await client.query(sql, [paid]).catch((error: unknown) => error);
        expect(failure, change).to.have.property('constraint', 'invoices_never_change');
      }
      const renamed = `UPDATE paymount.invoices SET issued_to = '{"name":"Eve"}' WHERE id = $1`;
      const failure = await client.query(renamed, [paid]).catch((error: unknown) => error);
      expect(failure).to.have.property('constraint', 'invoices_never_change');
    });
  });
});
