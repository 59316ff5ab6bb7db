import { expect } from 'chai';
import { query } from '../support/database.ts';
import {
  INVOICED_AT,
  type InvoiceShop,
  type Json,
  refusal,
  startInvoiceShop,
} from '../support/invoice-shop.ts';

const FINAL_REFUSAL = [400, 'status_transition_invalid', undefined];

describe('Invoices', () => {
  let shop: InvoiceShop;
  let customer: string;
  before(async () => {
    shop = await startInvoiceShop();
  });
  after(() => shop.close());
  beforeEach(async () => {
    customer = await shop.newCustomer('pm_card_visa');
  });

  it('takes what waits for a customer, issues it and charges it', async () => {
    const first = await shop.newItem(customer, 1_900, {
      period: { start: INVOICED_AT, end: '2026-12-21T12:00:00Z' },
    });
    expect(first).to.deep.equal({
      id: first['id'],
      object: 'invoiceitem',
      livemode: false,
      date: INVOICED_AT,
      metadata: {},
      customer,
      amount: 1_900,
      unit_amount: 1_900,
      quantity: 1,
      currency: 'eur',
      description: 'Tea',
      price: null,
      pricing: null,
      period: { start: INVOICED_AT, end: '2026-12-21T12:00:00.000Z' },
      proration: false,
      invoice: null,
      subscription: null,
      parent: null,
      test_clock: null,
    });
    await shop.newItem(customer, -400, { description: 'Discount' });
    const made = await shop.make('/invoices', {
      customer,
      pending_invoice_items_behavior: 'include',
      description: 'Thank you',
      metadata: { order: '7' },
    });
    const id = String(made['id']);
    const line = (made['lines'] as { data: Json[] }).data[0];
    const expected = {
      id,
      object: 'invoice',
      livemode: false,
      created: INVOICED_AT,
      metadata: { order: '7' },
      number: null,
      status: 'draft',
      billing_reason: 'manual',
      collection_method: 'charge_automatically',
      auto_advance: false,
      customer,
      customer_name: null,
      customer_email: null,
      customer_address: null,
      subscription: null,
      parent: null,
      charge: null,
      default_payment_method: null,
      currency: 'eur',
      lines: {
        object: 'list',
        url: `/v1/invoices/${id}/lines`,
        has_more: false,
        data: [
          {
            id: line?.['id'],
            object: 'line_item',
            livemode: false,
            invoice: id,
            type: 'invoiceitem',
            amount: 1_900,
            currency: 'eur',
            description: 'Tea',
            quantity: 1,
            price: null,
            pricing: null,
            parent: {
              type: 'invoice_item_details',
              invoice_item_details: {
                invoice_item: first['id'],
                proration: false,
                subscription: null,
              },
              subscription_item_details: null,
            },
            period: { start: INVOICED_AT, end: '2026-12-21T12:00:00.000Z' },
            proration: false,
            subscription: null,
            subscription_item: null,
            invoice_item: first['id'],
          },
          (made['lines'] as { data: Json[] }).data[1],
        ],
      },
      subtotal: 1_500,
      total: 1_500,
      starting_balance: 0,
      ending_balance: null,
      amount_due: 1_500,
      amount_paid: 0,
      amount_remaining: 1_500,
      attempt_count: 0,
      attempted: false,
      paid: false,
      payments: { object: 'list', url: `/v1/invoices/${id}`, has_more: false, data: [] },
      paid_out_of_band: false,
      due_date: null,
      period_start: INVOICED_AT,
      period_end: INVOICED_AT,
      status_transitions: {
        finalized_at: null,
        paid_at: null,
        voided_at: null,
        marked_uncollectible_at: null,
      },
      description: 'Thank you',
      footer: null,
      hosted_invoice_url: null,
      invoice_pdf: null,
      test_clock: null,
    };
    expect(made).to.deep.equal(expected);
    expect((await shop.read(`/invoiceitems/${String(first['id'])}`))['invoice']).to.equal(id);
    const issued = await shop.make(`/invoices/${id}/finalize`);
    expect(issued).to.deep.equal({
      ...expected,
      number: 'INV-000001',
      status: 'open',
      customer_name: 'Ada',
      customer_email: 'ada@example.com',
      ending_balance: 0,
      hosted_invoice_url: issued['hosted_invoice_url'],
      invoice_pdf: `${String(issued['hosted_invoice_url'])}/invoice.pdf`,
      status_transitions: { ...expected.status_transitions, finalized_at: INVOICED_AT },
    });
    const paid = await shop.make(`/invoices/${id}/pay`);
    expect(paid).to.deep.equal({
      ...issued,
      status: 'paid',
      charge: paid['charge'],
      paid: true,
      payments: {
        ...expected.payments,
        data: [
          {
            id: id.replace('in_', 'inpay_'),
            object: 'invoice_payment',
            livemode: false,
            created: INVOICED_AT,
            invoice: id,
            is_default: true,
            status: 'paid',
            amount_requested: 1_500,
            amount_paid: 1_500,
            currency: 'eur',
            payment: { type: 'charge', charge: paid['charge'] },
            status_transitions: { canceled_at: null, paid_at: INVOICED_AT },
          },
        ],
      },
      amount_paid: 1_500,
      amount_remaining: 0,
      attempt_count: 1,
      attempted: true,
      status_transitions: {
        ...expected.status_transitions,
        finalized_at: INVOICED_AT,
        paid_at: INVOICED_AT,
      },
    });
    expect(await shop.read(`/invoices/${id}`)).to.deep.equal(paid);
    const charge = await shop.read(`/charges/${String(paid['charge'])}?expand[]=invoice`);
    expect(charge).to.deep.include({
      amount: 1_500,
      status: 'succeeded',
      customer,
      description: 'Invoice INV-000001',
      invoice: paid,
    });
    const of = await shop.get(`/invoices?customer=${customer}&status=paid`);
    expect((of.json['data'] as Json[]).map((each) => each['id'])).to.deep.equal([id]);
  });

  it('moves from state to state, and no other way', async () => {
    const of = {
      draft: await shop.draft(customer, [100]),
      void: await shop.open(customer, 100),
      uncollectible: await shop.open(customer, 100),
      paid: await shop.open(customer, 100),
    };
    expect(await shop.make(`/invoices/${of.void}/void`)).to.include({ status: 'void' });
    expect(await shop.make(`/invoices/${of.paid}/pay`, { paid_out_of_band: true })).to.include({
      status: 'paid',
      paid_out_of_band: true,
      charge: null,
      amount_paid: 100,
    });
    const doubtful = await shop.make(`/invoices/${of.uncollectible}/mark_uncollectible`);
    expect(doubtful['status']).to.equal('uncollectible');
    const refused = [
      ...['finalize', 'pay', 'void', 'mark_uncollectible'].flatMap((action) => [
        [of.void, action],
        [of.paid, action],
      ]),
      [of.uncollectible, 'finalize'],
      [of.uncollectible, 'mark_uncollectible'],
      [of.draft, 'void'],
      [of.draft, 'mark_uncollectible'],
    ];
    for (const [id, action] of refused) {
      const expected =
        action === 'finalize' ? [400, 'invoice_not_draft', undefined] : FINAL_REFUSAL;
      expect(
        await refusal(shop.post(`/invoices/${id}/${action}`)),
        `${action} ${id}`,
      ).to.deep.equal(expected);
    }
    const paid = await shop.make(`/invoices/${of.uncollectible}/pay`);
    expect(paid['status']).to.equal('paid');
    expect(paid['status_transitions']).to.deep.equal({
      finalized_at: INVOICED_AT,
      paid_at: INVOICED_AT,
      voided_at: null,
      marked_uncollectible_at: INVOICED_AT,
    });
    // A draft is issued and charged at once.
    expect(await shop.make(`/invoices/${of.draft}/pay`)).to.include({ status: 'paid' });
  });

  it('pays at once what costs nothing', async () => {
    const free = await shop.draft(customer, [1_000, -1_000]);
    expect(await shop.make(`/invoices/${free}/finalize`)).to.include({
      status: 'paid',
      amount_due: 0,
      charge: null,
      paid_out_of_band: false,
    });
  });

  it('changes and deletes items and drafts until they are issued', async () => {
    const id = await shop.draft(customer, [100, 200]);
    const lines = async () =>
      (((await shop.read(`/invoices/${id}/lines`))['data'] as Json[]) ?? []).map((line) => [
        line['description'],
        line['amount'],
        line['quantity'],
      ]);
    const items = (await shop.read(`/invoiceitems?invoice=${id}`))['data'] as Json[];
    expect(items.map((item) => item['amount'])).to.deep.equal([200, 100]);
    const [second, first] = items.map((item) => `/invoiceitems/${String(item['id'])}`);
    await shop.make(String(first), { unit_amount: 50, quantity: 3, description: 'Coffee' });
    expect((await shop.remove(String(second))).json).to.include({ deleted: true });
    await shop.newItem(customer, 7, { invoice: id, description: 'Stamp' });
    expect(await lines()).to.deep.equal([
      ['Coffee', 150, 3],
      ['Stamp', 7, 1],
    ]);
    const edited = await shop.make(`/invoices/${id}`, {
      collection_method: 'send_invoice',
      days_until_due: 14,
      footer: 'Bank 1',
    });
    expect(edited).to.include({ total: 157, collection_method: 'send_invoice', due_date: null });
    const issued = await shop.make(`/invoices/${id}/finalize`);
    expect(issued).to.include({ status: 'open', due_date: '2026-12-05T12:00:00.000Z' });
    const overdue = await shop.get(`/invoices?status=open&due_date[lt]=2026-12-06T00:00:00Z`);
    expect((overdue.json['data'] as Json[]).map((each) => each['id'])).to.include(id);
    const frozen = [400, 'invoice_not_draft', undefined];
    expect(await refusal(shop.post(String(first), { description: 'No' }))).to.deep.equal(frozen);
    expect(await refusal(shop.remove(String(first)))).to.deep.equal(frozen);
    expect(await refusal(shop.post(`/invoices/${id}`, { footer: 'No' }))).to.deep.equal(frozen);
    expect(await refusal(shop.remove(`/invoices/${id}`))).to.deep.equal(frozen);
    expect(
      await refusal(shop.post('/invoiceitems', { customer, amount: 1, invoice: id })),
    ).to.deep.equal([400, 'invoice_not_draft', 'invoice']);
    const noted = await shop.make(`/invoices/${id}`, { metadata: { paid_by: 'bank' } });
    expect(noted['metadata']).to.deep.equal({ paid_by: 'bank' });
    const gone = await shop.draft(customer, [300]);
    expect((await shop.remove(`/invoices/${gone}`)).json).to.deep.equal({
      id: gone,
      object: 'invoice',
      deleted: true,
    });
    expect(await refusal(shop.get(`/invoices/${gone}`))).to.deep.equal([
      404,
      'resource_missing',
      undefined,
    ]);
    const waiting = await shop.read(`/invoiceitems?customer=${customer}&pending=true`);
    expect((waiting['data'] as Json[]).map((item) => item['amount'])).to.deep.equal([300]);
  });

  it('keeps no text about a deleted customer on items that are on no invoice', async () => {
    const text = { description: 'Call with Ada Lovelace', metadata: { name: 'Ada' } };
    const waiting = await shop.newItem(customer, 2_500, text);
    const gone = await shop.newItem(customer, 500, text);
    await shop.remove(`/invoiceitems/${String(gone['id'])}`);
    await shop.remove(`/customers/${customer}`);
    expect(await shop.read(`/invoiceitems/${String(waiting['id'])}`)).to.deep.include({
      amount: 2_500,
      description: '',
      metadata: {},
    });
    const left = `SELECT FROM paymount.invoice_items WHERE customer_id = $1 AND description <> ''`;
    expect(await query(shop.databaseUrl, left, [customer])).to.have.length(0);
  });

  it('keeps the issued invoices of a deleted customer, and finalizes none of its drafts', async () => {
    const issued = await shop.open(customer, 100);
    const left = await shop.draft(customer, [200]);
    await shop.remove(`/customers/${customer}`);
    const refused = [400, 'invoice_customer_deleted', undefined];
    for (const action of ['finalize', 'pay']) {
      expect(await refusal(shop.post(`/invoices/${left}/${action}`))).to.deep.equal(refused);
    }
    expect(await shop.read(`/invoices/${left}`)).to.include({ status: 'draft', number: null });
    expect((await shop.remove(`/invoices/${left}`)).json).to.include({ deleted: true });
    expect(await shop.read(`/invoices/${issued}`)).to.include({
      status: 'open',
      customer_name: 'Ada',
      customer_email: 'ada@example.com',
    });
    const paid = await shop.make(`/invoices/${issued}/pay`, { paid_out_of_band: true });
    expect(paid['status']).to.equal('paid');
  });

  it('refuses what no invoice can have', async () => {
    const other = await shop.newCustomer();
    const foreign = await shop.attach(other, 'pm_card_visa');
    const loose = String(
      (await shop.make('/payment_methods', { type: 'card', card: { token: 'tok_visa' } }))['id'],
    );
    const monthly = await shop.make('/prices', {
      product_data: { name: 'Tea' },
      currency: 'eur',
      unit_amount: 1,
      recurring: { interval: 'month' },
    });
    const dollars = await shop.make('/prices', {
      product_data: { name: 'Tea' },
      currency: 'usd',
      unit_amount: 1,
    });
    const id = await shop.open(customer, 100);
    const item = { customer, currency: 'eur', amount: 1 };
    const invoice = { customer, currency: 'eur' };
    const sent = { collection_method: 'send_invoice' };
    const cases: readonly (readonly [string, object, readonly unknown[]])[] = [
      ['/invoiceitems', { customer, amount: 1 }, [400, 'parameter_missing', 'currency']],
      ['/invoiceitems', invoice, [400, 'parameter_missing', 'amount']],
      ['/invoiceitems', { ...item, quantity: 2 }, [400, 'parameters_exclusive', 'quantity']],
      ['/invoiceitems', { ...item, price: dollars['id'] }, [400, 'parameters_exclusive', 'price']],
      ['/invoiceitems', { customer, price: monthly['id'] }, [400, 'price_not_one_time', 'price']],
      [
        '/invoiceitems',
        { ...invoice, pricing: { price: dollars['id'] } },
        [400, 'invalid_currency', 'currency'],
      ],
      [
        '/invoiceitems',
        { ...invoice, unit_amount: 99_999_999, quantity: 2 },
        [400, 'amount_too_large', 'quantity'],
      ],
      [
        '/invoiceitems',
        { ...item, period: { start: INVOICED_AT, end: '2026-11-20T12:00:00Z' } },
        [400, 'parameter_invalid', 'period[end]'],
      ],
      ['/invoices', { customer }, [400, 'parameter_missing', 'currency']],
      ['/invoices', { ...invoice, ...sent }, [400, 'parameter_missing', 'days_until_due']],
      [
        '/invoices',
        { ...invoice, days_until_due: 3 },
        [400, 'parameters_exclusive', 'days_until_due'],
      ],
      [
        '/invoices',
        { ...invoice, ...sent, days_until_due: 3, due_date: '2026-12-24T00:00:00Z' },
        [400, 'parameters_exclusive', 'due_date'],
      ],
      [
        '/invoices',
        { ...invoice, ...sent, due_date: INVOICED_AT },
        [400, 'parameter_invalid', 'due_date'],
      ],
      [
        '/invoices',
        { ...invoice, default_payment_method: foreign },
        [400, 'payment_method_unattached', 'default_payment_method'],
      ],
      [
        `/invoices/${id}/pay`,
        { payment_method: loose },
        [400, 'payment_method_unattached', 'payment_method'],
      ],
      [
        `/invoices/${id}/pay`,
        { payment_method: foreign, paid_out_of_band: true },
        [400, 'parameters_exclusive', 'payment_method'],
      ],
    ];
    for (const [path, body, expected] of cases) {
      const what = `${path} ${JSON.stringify(body)}`;
      expect(await refusal(shop.post(path, body)), what).to.deep.equal(expected);
    }
    expect(await shop.read(`/invoices/${id}`)).to.include({ status: 'open', attempt_count: 0 });
    customer = other;
    const without = await shop.open(customer, 100);
    await shop.make(`/payment_methods/${foreign}/detach`);
    expect(await refusal(shop.post(`/invoices/${without}/pay`))).to.deep.equal([
      400,
      'payment_method_missing',
      undefined,
    ]);
  });
});
