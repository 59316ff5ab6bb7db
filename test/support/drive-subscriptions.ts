import { expect } from 'chai';
import type Stripe from 'stripe';

const MONTH_S = 31 * 86_400;

/**
 * Drives every route of subscriptions and their items with the official SDK, and checks the answers.
 * @param drain works off what is due, as a worker does
 */
export async function driveSubscriptions(
  stripe: Stripe,
  drain: () => Promise<void>,
): Promise<void> {
  const { id: customer } = await stripe.customers.create({ name: 'Ada' });
  const card = await newCard(stripe, customer, 'pm_card_visa');
  const [basic, pro] = [await newPrice(stripe, 1_000), await newPrice(stripe, 3_000)];
  const made = await stripe.subscriptions.create({
    customer,
    items: [{ price: basic }],
    default_payment_method: card,
    metadata: { order: 'o_1' },
    expand: ['latest_invoice'],
  });
  expect(made).to.deep.include({ object: 'subscription', status: 'active', customer });
  expect(made.start_date).to.be.closeTo(Date.now() / 1_000, 60);
  expect(made.billing_cycle_anchor).to.equal(made.start_date);
  const [item] = made.items.data;
  expect(item?.current_period_start).to.equal(made.start_date);
  expect((item?.current_period_end ?? 0) - made.start_date).to.be.within(
    27 * 86_400,
    MONTH_S + 3_600,
  );
  expect(item?.price).to.include({ id: basic, unit_amount: 1_000 });
  expect(made.latest_invoice).to.include({ object: 'invoice', status: 'paid', amount_paid: 1_000 });
  const read = await stripe.subscriptions.retrieve(made.id, { expand: ['customer'] });
  expect(read.customer).to.include({ object: 'customer', name: 'Ada' });
  const listed = await stripe.subscriptions.list({ customer, price: basic, status: 'active' });
  expect(listed.data.map(({ id }) => id)).to.deep.equal([made.id]);
  await driveChanges(stripe, made, { basic, pro });
  await driveItems(stripe, made.id, pro);
  await driveEnds(stripe, made.id);
  await driveBehaviors(stripe, basic);
  await driveResumption(stripe, basic, drain);
}

async function newCard(stripe: Stripe, customer: string, card: string): Promise<string> {
  return (await stripe.paymentMethods.attach(card, { customer })).id;
}

async function newPrice(stripe: Stripe, amount: number): Promise<string> {
  const recurring = { interval: 'month' } as const;
  const product = { product_data: { name: 'Tea' }, currency: 'eur', unit_amount: amount };
  return (await stripe.prices.create({ ...product, recurring })).id;
}

/** A change with each way to bill it, and the preview of one. */
async function driveChanges(
  stripe: Stripe,
  { id: subscription, items }: Stripe.Subscription,
  { basic, pro }: { readonly basic: string; readonly pro: string },
): Promise<void> {
  const item = items.data[0]?.id ?? '';
  const change = (price: string, behavior: 'create_prorations' | 'always_invoice' | 'none') =>
    stripe.subscriptions.update(subscription, {
      items: [{ id: item, price }],
      proration_behavior: behavior,
      expand: ['latest_invoice'],
    });
  const preview = await stripe.invoices.createPreview({
    subscription,
    subscription_details: {
      items: [{ id: item, price: pro }],
      proration_behavior: 'always_invoice',
    },
  });
  expect(preview.lines.data.length).to.equal(2);
  const invoiced = await change(pro, 'always_invoice');
  expect(invoiced.items.data.map(({ id, price }) => [id, price.id])).to.deep.equal([[item, pro]]);
  const { latest_invoice: paid } = invoiced;
  expect(paid).to.include({ status: 'paid', billing_reason: 'subscription_update' });
  const kept = await change(basic, 'none');
  expect(kept.latest_invoice).to.deep.include({ id: (paid as Stripe.Invoice).id });
  await change(pro, 'create_prorations');
  const waiting = await stripe.invoiceItems.list({ pending: true, limit: 100 });
  expect(
    waiting.data.some(({ parent }) => parent?.subscription_details?.subscription === subscription),
  ).to.be.true;
}

async function driveItems(stripe: Stripe, subscription: string, sold: string): Promise<void> {
  const price = await newPrice(stripe, 500);
  const behavior = { proration_behavior: 'none' } as const;
  const added = await stripe.subscriptionItems.create({ subscription, price, ...behavior });
  expect(added).to.deep.include({ object: 'subscription_item', subscription, quantity: 1 });
  const more = await stripe.subscriptionItems.update(added.id, { quantity: 4, ...behavior });
  expect(more.quantity).to.equal(4);
  expect((await stripe.subscriptionItems.retrieve(added.id)).price.id).to.equal(price);
  const listed = await stripe.subscriptionItems.list({ subscription });
  expect(listed.data.map((each) => each.price.id)).to.deep.equal([sold, price]);
  const gone = { id: added.id, object: 'subscription_item', deleted: true };
  expect(await stripe.subscriptionItems.del(added.id, behavior)).to.deep.include(gone);
}

async function driveEnds(stripe: Stripe, id: string): Promise<void> {
  const ending = await stripe.subscriptions.update(id, { cancel_at_period_end: true });
  expect(ending).to.include({ cancel_at_period_end: true, status: 'active' });
  expect(ending.canceled_at).to.be.closeTo(Date.now() / 1_000, 60);
  const kept = await stripe.subscriptions.update(id, { cancel_at_period_end: false });
  expect(kept).to.deep.include({ cancel_at_period_end: false, canceled_at: null });
  const details = { comment: 'Too much tea', feedback: 'too_expensive' } as const;
  const ended = await stripe.subscriptions.cancel(id, { cancellation_details: details });
  expect(ended.status).to.equal('canceled');
  expect(ended.ended_at).to.be.closeTo(Date.now() / 1_000, 60);
  expect(ended.cancellation_details).to.deep.equal({
    reason: 'cancellation_requested',
    ...details,
  });
}

/** A first invoice that nobody pays, with each behavior. */
async function driveBehaviors(stripe: Stripe, price: string): Promise<void> {
  const { id: customer } = await stripe.customers.create({ name: 'Grace' });
  const card = await newCard(stripe, customer, 'pm_card_chargeCustomerFail');
  const sold = { customer, items: [{ price }], default_payment_method: card };
  const expand = ['latest_invoice'];
  const behaviors = ['allow_incomplete', 'default_incomplete'] as const;
  for (const behavior of behaviors) {
    const made = await stripe.subscriptions.create({ ...sold, payment_behavior: behavior, expand });
    expect(made.status, behavior).to.equal('incomplete');
    expect(made.latest_invoice, behavior).to.include({ status: 'open' });
  }
  const refused = await stripe.subscriptions
    .create({ ...sold, payment_behavior: 'error_if_incomplete' })
    .catch((error: unknown) => error);
  expect(refused).to.include({ statusCode: 402, type: 'StripeCardError', code: 'card_declined' });
  const kept = await stripe.subscriptions.list({ customer, status: 'all' });
  expect(kept.data.filter(({ status }) => status === 'incomplete').length).to.equal(2);
}

/** A trial that ends without a payment method pauses, and goes on when there is one. */
async function driveResumption(
  stripe: Stripe,
  price: string,
  drain: () => Promise<void>,
): Promise<void> {
  const start = Date.UTC(2030, 0, 31) / 1_000;
  const { id: clock } = await stripe.testHelpers.testClocks.create({ frozen_time: start });
  const { id: customer } = await stripe.customers.create({ test_clock: clock });
  const { id } = await stripe.subscriptions.create({
    customer,
    items: [{ price }],
    trial_period_days: 7,
    trial_settings: { end_behavior: { missing_payment_method: 'pause' } },
  });
  await stripe.testHelpers.testClocks.advance(clock, { frozen_time: start + 8 * 86_400 });
  await drain();
  expect((await stripe.subscriptions.retrieve(id)).status).to.equal('paused');
  const settings = { default_payment_method: await newCard(stripe, customer, 'pm_card_visa') };
  await stripe.customers.update(customer, { invoice_settings: settings });
  const resumed = await stripe.subscriptions.resume(id, { billing_cycle_anchor: { type: 'now' } });
  expect(resumed).to.include({ status: 'active', billing_cycle_anchor: start + 8 * 86_400 });
  await stripe.testHelpers.testClocks.del(clock);
}
