import { expect } from 'chai';
import type Stripe from 'stripe';

/** Drives every route of invoices and invoice items with the official SDK, and checks the answers. */
export async function driveInvoices(stripe: Stripe): Promise<void> {
  const customer = await newPayer(stripe);
  await driveItems(stripe, customer);
  const draft = await stripe.invoices.create({
    customer,
    pending_invoice_items_behavior: 'include',
    collection_method: 'send_invoice',
    days_until_due: 14,
  });
  expect(draft).to.include({ object: 'invoice', status: 'draft', total: 5_700, currency: 'eur' });
  const edited = await stripe.invoices.update(draft.id, { description: 'Thank you' });
  expect(edited.description).to.equal('Thank you');
  const listed = await stripe.invoices.list({ customer, status: 'draft' });
  expect(listed.data.map(({ id }) => id)).to.deep.equal([draft.id]);
  await expectLine(stripe, draft);
  const issued = await stripe.invoices.finalizeInvoice(draft.id, { auto_advance: false });
  expect(issued).to.include({ status: 'open', amount_due: 5_700 });
  expect(issued.number).to.match(/^INV-[0-9]{6}$/);
  expect(issued.due_date).to.be.closeTo(Date.now() / 1_000 + 14 * 86_400, 60);
  expect(issued.hosted_invoice_url).to.match(/^https:\/\/pay\.example\.com\/invoices\/acct_/);
  const sent = await stripe.invoices.sendInvoice(draft.id);
  expect([sent.status, sent.invoice_pdf]).to.deep.equal(['open', issued.invoice_pdf]);
  const paid = await stripe.invoices.pay(draft.id);
  expect(paid).to.include({ status: 'paid', amount_paid: 5_700, attempt_count: 1 });
  expect(paid.status_transitions.paid_at).to.be.closeTo(Date.now() / 1_000, 60);
  const expand = ['customer', 'payments.data.payment.charge'];
  const read = await stripe.invoices.retrieve(draft.id, { expand });
  expect(read.customer).to.include({ id: customer, object: 'customer' });
  const [payment] = read.payments?.data ?? [];
  expect(payment).to.include({ status: 'paid', amount_requested: 5_700, amount_paid: 5_700 });
  expect(payment?.status_transitions.paid_at).to.equal(read.status_transitions.paid_at);
  expect(payment?.payment).to.have.nested.property('charge.amount', 5_700);
  await driveEnds(stripe, customer);
}

/** A customer who is charged without being asked. */
async function newPayer(stripe: Stripe): Promise<string> {
  const { id: customer } = await stripe.customers.create({ name: 'Ada', email: 'ada@example.com' });
  const { id: method } = await stripe.paymentMethods.attach('pm_card_visa', { customer });
  const settings = { invoice_settings: { default_payment_method: method } };
  return (await stripe.customers.update(customer, settings)).id;
}

async function driveItems(stripe: Stripe, customer: string): Promise<void> {
  const product = { name: 'Tea' };
  const { id: price } = await stripe.prices.create({
    product_data: product,
    currency: 'eur',
    unit_amount: 1_900,
  });
  const item = await stripe.invoiceItems.create({ customer, pricing: { price }, quantity: 2 });
  expect(item).to.include({ object: 'invoiceitem', amount: 3_800, description: 'Tea' });
  expect(item.pricing?.price_details?.price).to.equal(price);
  expect(item.date).to.be.closeTo(Date.now() / 1_000, 60);
  const changed = await stripe.invoiceItems.update(item.id, { quantity: 3 });
  expect(changed).to.include({ quantity: 3, amount: 5_700 });
  const { id: spare } = await stripe.invoiceItems.create({ customer, amount: 1, currency: 'eur' });
  const waiting = await stripe.invoiceItems.list({ customer, pending: true });
  expect(waiting.data.map(({ id }) => id)).to.deep.equal([spare, item.id]);
  expect((await stripe.invoiceItems.retrieve(spare)).id).to.equal(spare);
  const gone = { id: spare, object: 'invoiceitem', deleted: true };
  expect(await stripe.invoiceItems.del(spare)).to.deep.include(gone);
}

async function expectLine(stripe: Stripe, { id, lines }: Stripe.Invoice): Promise<void> {
  const { data } = await stripe.invoices.listLineItems(id, { limit: 1 });
  expect(data).to.deep.equal(lines.data);
  const [line] = data;
  expect(line).to.deep.include({ object: 'line_item', amount: 5_700, quantity: 3 });
  expect(line?.period.start).to.be.closeTo(Date.now() / 1_000, 60);
  expect(line?.parent?.type).to.equal('invoice_item_details');
}

/** What nobody pays, or pays elsewhere. */
async function driveEnds(stripe: Stripe, customer: string): Promise<void> {
  const newDraft = async (): Promise<string> => {
    const { id: invoice } = await stripe.invoices.create({ customer, currency: 'eur' });
    await stripe.invoiceItems.create({ customer, invoice, amount: 100 });
    return invoice;
  };
  const open = async () => (await stripe.invoices.finalizeInvoice(await newDraft())).id;
  expect((await stripe.invoices.voidInvoice(await open())).status).to.equal('void');
  const doubtful = await stripe.invoices.markUncollectible(await open());
  expect(doubtful.status).to.equal('uncollectible');
  const settled = await stripe.invoices.pay(doubtful.id, { paid_out_of_band: true });
  expect(settled).to.include({ status: 'paid', amount_paid: 100 });
  const id = await newDraft();
  const gone = { id, object: 'invoice', deleted: true };
  expect(await stripe.invoices.del(id)).to.deep.include(gone);
}
