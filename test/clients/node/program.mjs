// Drives the API with the `stripe` package of npm: charges, refunds, an endpoint, its deliveries, a
// subscription and its invoices.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import Stripe from 'stripe';

const { API_ORIGIN, API_URL, SECRET_KEY, REVOKED_KEY, RECEIVER_MODULE } = process.env;
const { hostname: host, port } = new URL(API_ORIGIN);
/** Package 8 names no version unless it is told one; newer ones name their own. */
const apiVersion = Stripe.API_VERSION ?? '2020-08-27';
const sdk = (key) => new Stripe(key, { host, port, protocol: 'http', apiVersion });
const stripe = sdk(SECRET_KEY);

const held = await createAndCapture();
await readTimes();
await listAll();
await refund();
await readBalance();
await createPaymentMethod();
await receive();
await bill();
await meetErrors();
await callUnderPath();

function ok(check) {
  process.stdout.write(`ok ${check}\n`);
}

async function createAndCapture() {
  const charge = await stripe.charges.create({
    amount: 4200,
    currency: 'eur',
    source: 'tok_visa',
    description: 'Two tickets',
    metadata: { order: 'o_1' },
  });
  assert.equal(charge.amount, 4200);
  assert.equal(charge.currency, 'eur');
  assert.equal(charge.status, 'succeeded');
  assert.equal(charge.payment_method_details.card.last4, '4242');
  assert.deepEqual((await stripe.charges.retrieve(charge.id)).metadata, { order: 'o_1' });
  ok('create');
  const params = { amount: 1000, currency: 'eur', source: 'tok_mastercard', capture: false };
  const authorized = await stripe.charges.create(params);
  assert.equal(authorized.captured, false);
  const captured = await stripe.charges.capture(authorized.id, { amount: 600 });
  assert.equal(captured.captured, true);
  assert.equal(captured.amount_captured, 600);
  ok('capture');
  return captured;
}

async function readTimes() {
  const charge = await stripe.charges.retrieve(held.id);
  assertRecent(charge.created);
  const since = await stripe.charges.list({ created: { gte: charge.created } });
  assert.equal(since.data[0].id, charge.id);
  ok('times');
}

/** Unix seconds, as the types of the package say. */
function assertRecent(time) {
  assert.ok(Number.isInteger(time), `${time} is not a number of seconds`);
  assert.ok(Math.abs(Date.now() / 1000 - time) < 600, `${time} is not now`);
}

async function listAll() {
  const made = [];
  for (let count = 0; count < 5; count += 1) {
    const params = { amount: 100 + count, currency: 'usd', source: 'tok_visa' };
    made.unshift((await stripe.charges.create(params)).id);
  }
  const seen = [];
  for await (const charge of stripe.charges.list({ limit: 2 })) seen.push(charge.id);
  assert.equal(seen.length, 7);
  assert.deepEqual(seen.slice(0, 5), made);
  ok('list');
}

async function refund() {
  const made = await stripe.refunds.create({ charge: held.id, amount: 200 });
  assert.equal(made.amount, 200);
  assert.equal(made.status, 'succeeded');
  assertRecent(made.created);
  assert.equal((await stripe.charges.retrieve(held.id)).amount_refunded, 200);
  const page = await stripe.refunds.list({ charge: held.id });
  assert.deepEqual(
    page.data.map((each) => each.id),
    [made.id],
  );
  ok('refund');
}

async function readBalance() {
  const { pending } = await stripe.balance.retrieve();
  assert.equal(pending.find(({ currency }) => currency === 'eur').amount, 4600);
  const page = await stripe.balanceTransactions.list({ limit: 1 });
  assert.equal(page.data[0].type, 'refund');
  assert.equal(page.data[0].net, -200);
  assertRecent(page.data[0].created);
  assert.ok(page.data[0].available_on >= page.data[0].created);
  ok('balance');
}

async function createPaymentMethod() {
  const made = await stripe.paymentMethods.create({ type: 'card', card: { token: 'tok_visa' } });
  assert.equal(made.card.last4, '4242');
  assertRecent(made.created);
  assert.equal((await stripe.paymentMethods.retrieve(made.id)).type, 'card');
  ok('payment method');
}

async function receive() {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = await stripe.webhookEndpoints.create({
    url: `http://127.0.0.1:${server.address().port}/hook`,
    enabled_events: ['charge.succeeded'],
    api_version: apiVersion,
  });
  assert.equal(endpoint.api_version, apiVersion);
  assert.equal((await stripe.webhookEndpoints.retrieve(endpoint.id)).status, 'enabled');
  ok('endpoint');
  const delivered = once(server, 'request', { signal: AbortSignal.timeout(30_000) });
  const params = { amount: 777, currency: 'eur', source: 'tok_visa' };
  const charge = await stripe.charges.create(params);
  const [request, response] = await delivered;
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  response.end();
  const body = Buffer.concat(chunks);
  const header = request.headers['service-signature'];
  const event = stripe.webhooks.constructEvent(body, header, endpoint.secret);
  assert.equal(event.type, 'charge.succeeded');
  assert.equal(event.api_version, apiVersion);
  assertRecent(event.created);
  assert.equal(event.data.object.id, charge.id);
  assertRecent(event.data.object.created);
  assert.throws(
    () => stripe.webhooks.constructEvent(`${body} `, header, endpoint.secret),
    Stripe.errors.StripeSignatureVerificationError,
  );
  assert.equal((await stripe.events.retrieve(event.id)).type, 'charge.succeeded');
  assert.equal((await stripe.webhookEndpoints.del(endpoint.id)).deleted, true);
  server.closeAllConnections();
  server.close();
  ok('delivery');
}

async function bill() {
  const { id: customer } = await stripe.customers.create({ name: 'Ada' });
  const { id: method } = await stripe.paymentMethods.attach('pm_card_visa', { customer });
  const [basic, pro] = [await sell(1000), await sell(3000)];
  const made = await stripe.subscriptions.create({
    customer,
    items: [{ price: basic }],
    default_payment_method: method,
    expand: ['latest_invoice'],
  });
  assert.equal(made.status, 'active');
  assertRecent(made.start_date);
  assert.equal(made.latest_invoice.amount_paid, 1000);
  ok('create subscription');
  const [item] = made.items.data;
  const change = {
    items: [{ id: item.id, price: pro }],
    proration_behavior: 'always_invoice',
    proration_date: made.start_date,
  };
  if (stripe.invoices.createPreview) {
    const preview = await stripe.invoices.createPreview({
      subscription: made.id,
      subscription_details: change,
    });
    assert.equal(preview.amount_due, 2000);
    assert.deepEqual(amounts(preview), [-1000, 3000]);
    ok('preview');
  }
  const changed = await stripe.subscriptions.update(made.id, change);
  assert.equal(changed.items.data[0].price.id, pro);
  ok('change subscription');
  const { data: invoices } = await stripe.invoices.list({ subscription: made.id });
  assert.deepEqual(invoices.map(amounts), [[-1000, 3000], [1000]]);
  const read = await stripe.invoices.retrieve(invoices[0].id, { expand: ['charge'] });
  assert.equal(read.charge.amount, 2000);
  assertRecent(read.status_transitions.paid_at);
  ok('invoices');
  const { subscriptions } = stripe;
  const ended = await (subscriptions.cancel ?? subscriptions.del).call(subscriptions, made.id);
  assert.equal(ended.status, 'canceled');
  assertRecent(ended.ended_at);
  ok('cancel subscription');
}

async function sell(amount) {
  const recurring = { interval: 'month' };
  const product = { product_data: { name: 'Tea' }, currency: 'eur', unit_amount: amount };
  return (await stripe.prices.create({ ...product, recurring })).id;
}

function amounts({ lines }) {
  return lines.data.map(({ amount }) => amount);
}

async function meetErrors() {
  const params = { amount: 100, currency: 'eur', source: 'tok_visa_chargeDeclined' };
  await assert.rejects(stripe.charges.create(params), (error) => {
    assert.ok(error instanceof Stripe.errors.StripeCardError);
    assert.equal(error.statusCode, 402);
    assert.equal(error.code, 'card_declined');
    assert.equal(error.decline_code, 'generic_decline');
    assert.match(error.requestId, /^req_/);
    return true;
  });
  ok('declined card');
  await assert.rejects(sdk(REVOKED_KEY).charges.list(), (error) => {
    assert.ok(error instanceof Stripe.errors.StripeAuthenticationError);
    assert.equal(error.statusCode, 401);
    return true;
  });
  ok('revoked key');
}

async function callUnderPath() {
  const { prefixedHttpClient } = await import(RECEIVER_MODULE);
  const httpClient = prefixedHttpClient(new URL(API_URL).pathname, Stripe);
  const below = new Stripe(SECRET_KEY, { host, port, protocol: 'http', apiVersion, httpClient });
  const charge = await below.charges.create({ amount: 700, currency: 'eur', source: 'tok_visa' });
  assert.deepEqual(await ids(below.charges.list({ limit: 1 })), await ids(stripe.charges.list()));
  assert.equal((await below.charges.update(charge.id, { metadata: { a: 'b' } })).metadata.a, 'b');
  await assert.rejects(below.charges.retrieve('ch_none'), { statusCode: 404 });
  ok('under a path');
}

/** Of every page. */
async function ids(pages) {
  const seen = [];
  for await (const { id } of pages) seen.push(id);
  return seen;
}
