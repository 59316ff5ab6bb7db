import { expect } from 'chai';
import Stripe from 'stripe-17';

const JANUARY = Date.UTC(2030, 0, 31) / 1_000;
const MONTH_S = 28 * 86_400;

/**
 * Drives every route of billing with version 17 of the official SDK, and checks what that version reads: in later
 * ones the charge, the subscription and the price of an invoice are in other fields. It is JavaScript, because the
 * types of that version call their module `stripe`, as those of the newest do.
 * @param {string} key a secret key
 * @param {object} settings where the API is
 * @param {{ follow: (stripe: Stripe) => Stripe, drain: () => Promise<void> }} around `drain` works off what is due
 */
export async function driveStripe17(key, settings, { follow, drain }) {
  const stripe = follow(new Stripe(key, settings));
  const payer = await newPayer(stripe, 'pm_card_visa');
  const prices = await drivePrices(stripe);
  await driveBalances(stripe, payer);
  await driveItems(stripe, payer, prices.once);
  await driveInvoice(stripe, payer, prices.once);
  await driveEndings(stripe, payer);
  await driveSubscriptions(stripe, prices);
  await driveResumption(stripe, prices.basic, drain);
}

/** A customer who is charged without being asked. */
async function newPayer(stripe, card) {
  const { id: customer } = await stripe.customers.create({ name: 'Ada', email: 'ada@example.com' });
  const { id: method } = await stripe.paymentMethods.attach(card, { customer });
  const settings = { invoice_settings: { default_payment_method: method } };
  return (await stripe.customers.update(customer, settings)).id;
}

async function drivePrices(stripe) {
  const { id: product } = await stripe.products.create({ name: 'Tea' });
  expect((await stripe.products.update(product, { description: 'Green' })).name).to.equal('Tea');
  expect((await stripe.products.retrieve(product)).description).to.equal('Green');
  const listed = await stripe.products.list({ ids: [product] });
  expect(listed.data.map(({ id }) => id)).to.deep.equal([product]);
  const { id: spare } = await stripe.products.create({ name: 'Spare' });
  expect((await stripe.products.del(spare)).deleted).to.equal(true);
  const cost = { product, currency: 'eur' };
  const recurring = { interval: 'month' };
  const { id: once } = await stripe.prices.create({ ...cost, unit_amount: 1_900 });
  const basic = await stripe.prices.create({ ...cost, unit_amount: 1_000, recurring });
  const { id: pro } = await stripe.prices.create({ ...cost, unit_amount: 3_000, recurring });
  const named = await stripe.prices.update(basic.id, { nickname: 'Basic' });
  expect([named.nickname, named.recurring?.interval]).to.deep.equal(['Basic', 'month']);
  expect(await stripe.prices.retrieve(basic.id)).to.deep.include({ ...named });
  const found = await stripe.prices.list({ product, type: 'recurring' });
  expect(found.data.map(({ id }) => id)).to.deep.equal([pro, basic.id]);
  return { once, basic: basic.id, pro };
}

async function driveBalances(stripe, customer) {
  const credit = { amount: -200, currency: 'eur' };
  const made = await stripe.customers.createBalanceTransaction(customer, credit);
  expect(made).to.include({ type: 'adjustment', amount: -200, ending_balance: -200 });
  const named = await stripe.customers.updateBalanceTransaction(customer, made.id, {
    description: 'Broken cup',
  });
  const read = await stripe.customers.retrieveBalanceTransaction(customer, made.id);
  expect(read.description).to.equal(named.description);
  const listed = await stripe.customers.listBalanceTransactions(customer);
  expect(listed.data.map(({ id }) => id)).to.deep.equal([made.id]);
}

/** This version names the price of an invoice item `price`, and reads it and the subscription at the top. */
async function driveItems(stripe, customer, price) {
  const item = await stripe.invoiceItems.create({ customer, price, quantity: 2 });
  expect(item).to.include({ object: 'invoiceitem', amount: 3_800, unit_amount: 1_900 });
  expect(item).to.include({ proration: false, subscription: null });
  const more = await stripe.invoiceItems.update(item.id, { quantity: 3 });
  expect(more.amount).to.equal(5_700);
  const expanded = await stripe.invoiceItems.retrieve(item.id, { expand: ['price'] });
  expect(expanded.price).to.include({ id: price, unit_amount: 1_900 });
  const { id: spare } = await stripe.invoiceItems.create({ customer, amount: 1, currency: 'eur' });
  const waiting = await stripe.invoiceItems.list({ customer, pending: true });
  expect(waiting.data.map(({ id }) => id)).to.deep.equal([spare, item.id]);
  expect((await stripe.invoiceItems.del(spare)).deleted).to.equal(true);
}

async function driveInvoice(stripe, customer, price) {
  const draft = await stripe.invoices.create({
    customer,
    pending_invoice_items_behavior: 'include',
  });
  expect(draft).to.include({ status: 'draft', paid: false, charge: null, total: 5_700 });
  const edited = await stripe.invoices.update(draft.id, { footer: 'Thank you' });
  expect(edited.footer).to.equal('Thank you');
  const issued = await stripe.invoices.finalizeInvoice(draft.id, { auto_advance: false });
  expect(issued).to.include({ status: 'open', amount_due: 5_500, starting_balance: -200 });
  const paid = await stripe.invoices.pay(draft.id);
  expect(paid).to.include({ status: 'paid', paid: true, amount_paid: 5_500, subscription: null });
  const read = await stripe.invoices.retrieve(draft.id, { expand: ['charge', 'lines.data.price'] });
  expect(read.charge).to.include({ object: 'charge', amount: 5_500, invoice: draft.id });
  const [line] = read.lines.data;
  expect(line).to.include({ type: 'invoiceitem', amount: 5_700, proration: false });
  expect(line?.price).to.include({ id: price, unit_amount: 1_900 });
  const page = await stripe.invoices.listLineItems(draft.id, { expand: ['data.price'] });
  expect(page.data).to.deep.equal(read.lines.data);
  const listed = await stripe.invoices.list({ customer });
  expect(listed.data.map(({ id }) => id)).to.deep.equal([draft.id]);
}

/** What nobody pays, or pays elsewhere. */
async function driveEndings(stripe, customer) {
  const newDraft = async (more = {}) => {
    const { id: invoice } = await stripe.invoices.create({ customer, currency: 'eur', ...more });
    await stripe.invoiceItems.create({ customer, invoice, amount: 100, currency: 'eur' });
    return invoice;
  };
  const byHand = { collection_method: 'send_invoice', days_until_due: 14 };
  const { id: voided } = await stripe.invoices.finalizeInvoice(await newDraft(byHand));
  expect((await stripe.invoices.sendInvoice(voided)).status).to.equal('open');
  expect((await stripe.invoices.voidInvoice(voided)).status).to.equal('void');
  const { id: doubtful } = await stripe.invoices.finalizeInvoice(await newDraft());
  expect((await stripe.invoices.markUncollectible(doubtful)).status).to.equal('uncollectible');
  const settled = await stripe.invoices.pay(doubtful, { paid_out_of_band: true });
  expect(settled).to.include({ paid: true, paid_out_of_band: true, charge: null });
  expect((await stripe.invoices.del(await newDraft())).deleted).to.equal(true);
}

/** This version reads the period of a subscription at its top. */
async function driveSubscriptions(stripe, { basic, pro }) {
  const customer = await newPayer(stripe, 'pm_card_visa');
  const made = await stripe.subscriptions.create({
    customer,
    items: [{ price: basic }],
    expand: ['latest_invoice.charge'],
  });
  expect(made).to.include({ status: 'active', billing_cycle_anchor: made.start_date });
  expect(made.current_period_start).to.equal(made.start_date);
  expect(made.current_period_end - made.start_date).to.be.at.least(MONTH_S - 3_600);
  const first = made.latest_invoice;
  expect(first).to.include({ paid: true, subscription: made.id, amount_paid: 1_000 });
  expect(first.charge).to.include({ object: 'charge', amount: 1_000, invoice: first.id });
  expect(first.lines.data[0]).to.include({ type: 'subscription', subscription: made.id });
  await driveChange(stripe, made, pro);
  await driveSubscriptionItems(stripe, made.id, basic);
  const read = await stripe.subscriptions.retrieve(made.id);
  expect(read.items.data[0]?.price.id).to.equal(pro);
  const ended = await stripe.subscriptions.cancel(made.id, {
    cancellation_details: { feedback: 'too_expensive' },
  });
  expect(ended.status).to.equal('canceled');
  expect(ended.cancellation_details?.feedback).to.equal('too_expensive');
  const listed = await stripe.subscriptions.list({ customer, status: 'canceled' });
  expect(listed.data.map(({ id }) => id)).to.deep.equal([made.id]);
}

/** The preview of a change, and the change itself, have the same lines. */
async function driveChange(stripe, { id: subscription, items: { data } }, price) {
  const changed = {
    items: [{ id: data[0]?.id, price }],
    proration_behavior: 'always_invoice',
    proration_date: data[0]?.created,
  };
  const preview = await stripe.invoices.createPreview({
    subscription,
    subscription_details: changed,
  });
  const updated = await stripe.subscriptions.update(subscription, {
    ...changed,
    expand: ['latest_invoice'],
  });
  const billed = updated.latest_invoice;
  const amounts = ({ lines }) => lines.data.map(({ amount }) => amount);
  expect(amounts(preview)).to.deep.equal([-1_000, 3_000]);
  expect(amounts(billed)).to.deep.equal(amounts(preview));
  expect(billed).to.include({ billing_reason: 'subscription_update', paid: true, total: 2_000 });
}

async function driveSubscriptionItems(stripe, subscription, price) {
  const behavior = { proration_behavior: 'none' };
  const added = await stripe.subscriptionItems.create({ subscription, price, ...behavior });
  expect(added.price.id).to.equal(price);
  const more = await stripe.subscriptionItems.update(added.id, { quantity: 4, ...behavior });
  expect(more.quantity).to.equal(4);
  expect((await stripe.subscriptionItems.retrieve(added.id)).quantity).to.equal(4);
  const listed = await stripe.subscriptionItems.list({ subscription });
  expect(listed.data.map(({ id }) => id)).to.include(added.id);
  expect((await stripe.subscriptionItems.del(added.id, behavior)).deleted).to.equal(true);
}

/** A trial that ends without a payment method pauses, and goes on when there is one. */
async function driveResumption(stripe, price, drain) {
  const { testClocks } = stripe.testHelpers;
  const { id: clock } = await testClocks.create({ frozen_time: JANUARY });
  const { id: customer } = await stripe.customers.create({ test_clock: clock });
  const { id } = await stripe.subscriptions.create({
    customer,
    items: [{ price }],
    trial_period_days: 7,
    trial_settings: { end_behavior: { missing_payment_method: 'pause' } },
  });
  await testClocks.advance(clock, { frozen_time: JANUARY + 8 * 86_400 });
  await drain();
  expect((await stripe.subscriptions.retrieve(id)).status).to.equal('paused');
  const { id: method } = await stripe.paymentMethods.attach('pm_card_visa', { customer });
  const settings = { invoice_settings: { default_payment_method: method } };
  await stripe.customers.update(customer, settings);
  const resumed = await stripe.subscriptions.resume(id, { billing_cycle_anchor: 'now' });
  expect(resumed).to.include({ status: 'active', current_period_start: JANUARY + 8 * 86_400 });
  await testClocks.del(clock);
}
