import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import Stripe from 'stripe';
import { startAdminApp } from '../support/admin-app.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { fakeClock } from '../support/clock.ts';
import { driveBalances } from '../support/drive-balances.ts';
import { driveInvoices } from '../support/drive-invoices.ts';
import { drivePrices } from '../support/drive-prices.ts';
import { driveSubscriptions } from '../support/drive-subscriptions.ts';
import { DRIVABLE, DrivenRoutes, UNSERVED } from '../support/driven-routes.ts';
import { PaidOut } from '../support/paid-out.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { PDF } from '../support/upload-file.ts';

const DAY = 86_400_000;
const routes = new DrivenRoutes();

/** The official SDK, unmodified, pointed here by host, port and protocol. */
function sdk(app: TestApp, key = app.secretKey): Stripe {
  return routes.follow(new Stripe(key, { host: '127.0.0.1', port: app.port, protocol: 'http' }));
}

async function expectStripeError(
  work: Promise<unknown>,
): Promise<InstanceType<typeof Stripe.errors.StripeError>> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError) return error;
    throw error;
  }
  throw new Error('the call succeeded');
}

describe('the official stripe SDK', () => {
  let app: TestApp;
  let receiver: Receiver;
  let stripe: Stripe;

  /** How many answers to cut before their first byte: the charge is made, nobody hears of it. */
  let answersToCut = 0;

  before(async () => {
    app = await startApp({
      mount: (host, paymount) => {
        host.use((request, response, next) => {
          if (request.method === 'POST' && answersToCut > 0) {
            answersToCut -= 1;
            response.writeHead = () => {
              request.socket.destroy();
              return response;
            };
          }
          next();
        });
        host.use(paymount.router({ environment: 'test' }));
      },
    });
    receiver = await startReceiver();
    stripe = sdk(app);
  });
  after(async () => {
    await app.close();
    await receiver.close();
  });

  it('creates, retrieves and updates a charge', async () => {
    const made = await stripe.charges.create({
      amount: 4200,
      currency: 'eur',
      source: 'tok_visa',
      description: 'Two tickets',
      metadata: { order: 'o_1' },
    });
    expect(made).to.include({
      object: 'charge',
      amount: 4200,
      currency: 'eur',
      status: 'succeeded',
    });
    expect(made.created).to.be.closeTo(Date.now() / 1_000, 60);
    const found = await stripe.charges.retrieve(made.id);
    expect(found.metadata).to.deep.equal({ order: 'o_1' });
    const updated = await stripe.charges.update(made.id, {
      description: 'Three tickets',
      metadata: { order: '', seat: 'A1' },
    });
    expect(updated.description).to.equal('Three tickets');
    expect(updated.metadata).to.deep.equal({ seat: 'A1' });
  });

  it('creates, changes, lists and deletes a customer', async () => {
    const made = await stripe.customers.create({
      email: 'sdk@example.com',
      address: { city: 'Berlin', country: 'DE' },
      preferred_locales: ['de'],
      metadata: { tier: 'gold' },
    });
    expect(made).to.include({ object: 'customer', email: 'sdk@example.com', balance: 0 });
    expect(made.created).to.be.closeTo(Date.now() / 1_000, 60);
    expect(made.address?.city).to.equal('Berlin');
    const renamed = await stripe.customers.update(made.id, { name: 'Ada', metadata: { tier: '' } });
    expect([renamed.name, renamed.metadata]).to.deep.equal(['Ada', {}]);
    expect(await stripe.customers.retrieve(made.id)).to.deep.include({ ...renamed });
    const { data } = await stripe.customers.list({ email: 'sdk@example.com' });
    expect(data.map(({ id }) => id)).to.deep.equal([made.id]);
    const gone = { id: made.id, object: 'customer', deleted: true };
    expect(await stripe.customers.del(made.id)).to.deep.include(gone);
    expect(await stripe.customers.retrieve(made.id)).to.deep.include(gone);
    const error = await expectStripeError(stripe.customers.update(made.id, { name: 'Back' }));
    expect([error.statusCode, error.code]).to.deep.equal([404, 'resource_missing']);
  });

  it('creates, changes, lists and deletes products and prices', () => drivePrices(stripe));

  it('bills a customer by invoice items and invoices', () => driveInvoices(stripe));

  it('moves the balance of a customer', () => driveBalances(stripe));

  it('sells, changes, ends and resumes subscriptions', () =>
    driveSubscriptions(stripe, () => app.worker.drain()));

  it('attaches a payment method, charges the customer, and detaches it', async () => {
    const { id: customer } = await stripe.customers.create({ email: 'saved@example.com' });
    const made = await stripe.paymentMethods.create({ type: 'card', card: { token: 'tok_visa' } });
    const attached = await stripe.paymentMethods.attach(made.id, { customer });
    expect(attached.customer).to.equal(customer);
    await stripe.customers.update(customer, {
      invoice_settings: { default_payment_method: made.id },
    });
    const charge = await stripe.charges.create({ amount: 900, currency: 'eur', customer });
    expect([charge.status, charge.payment_method]).to.deep.equal(['succeeded', made.id]);
    const charges = await stripe.charges.list({ customer });
    expect(charges.data.map(({ id }) => id)).to.deep.equal([charge.id]);
    const listed = await stripe.customers.listPaymentMethods(customer, { type: 'card' });
    const all = await stripe.paymentMethods.list({ customer });
    expect([listed, all].map(({ data }) => data.map(({ id }) => id))).to.deep.equal([
      [made.id],
      [made.id],
    ]);
    const found = await stripe.customers.retrievePaymentMethod(customer, made.id);
    expect(found.card?.last4).to.equal('4242');
    const shown = await stripe.customers.retrieve(customer, {
      expand: ['invoice_settings.default_payment_method'],
    });
    expect(shown).to.have.nested.property('invoice_settings.default_payment_method.id', made.id);
    const renamed = await stripe.paymentMethods.update(made.id, { metadata: { seen: 'yes' } });
    expect(renamed.metadata).to.deep.equal({ seen: 'yes' });
    expect((await stripe.paymentMethods.detach(made.id)).customer).to.equal(null);
    const error = await expectStripeError(
      stripe.charges.create({ amount: 900, currency: 'eur', customer }),
    );
    expect([error.statusCode, error.code]).to.deep.equal([400, 'parameter_missing']);
  });

  it('adds bank accounts, pays out, lists and cancels payouts', async () => {
    const card = { type: 'card', card: { token: 'tok_bypassPending' } } as const;
    const { id: payment_method } = await stripe.paymentMethods.create(card);
    const sale = { amount: 5_000, currency: 'nok', payment_method } as const;
    await stripe.charges.create(sale as unknown as Stripe.ChargeCreateParams);
    await app.worker.drain();
    const own = await stripe.accounts.retrieveCurrent();
    expect(own).to.include({ object: 'account', id: app.account, payouts_enabled: true });
    expect(await stripe.accounts.retrieve(own.id)).to.include({ id: own.id, country: 'DE' });
    const number = { country: 'US', currency: 'nok', account_number: '000123456789' };
    const external_account = {
      object: 'bank_account',
      ...number,
      routing_number: '110000000',
    } as unknown as string;
    const bank = await stripe.accounts.createExternalAccount(own.id, { external_account });
    expect(bank).to.include({ object: 'bank_account', last4: '6789', default_for_currency: true });
    const changed = await stripe.accounts.updateExternalAccount(own.id, bank.id, {
      metadata: { a: 'b' },
    });
    expect(changed.metadata).to.deep.equal({ a: 'b' });
    expect(await stripe.accounts.retrieveExternalAccount(own.id, bank.id)).to.deep.include({
      ...changed,
    });
    const { data: banks } = await stripe.accounts.listExternalAccounts(own.id);
    expect(banks.map(({ id }) => id)).to.deep.equal([bank.id]);
    const made = await stripe.payouts.create({ amount: 4_000, currency: 'nok' });
    expect(made).to.include({ status: 'pending', destination: bank.id, automatic: false });
    expect([made.created, made.arrival_date].every(Number.isInteger)).to.equal(true);
    const renamed = await stripe.payouts.update(made.id, { metadata: { month: '9' } });
    expect(await stripe.payouts.retrieve(made.id)).to.deep.include({ ...renamed });
    const { data } = await stripe.payouts.list({ destination: bank.id });
    expect(data.map(({ id }) => id)).to.deep.equal([made.id]);
    const dear = stripe.payouts.create({ amount: 4_000, currency: 'nok' });
    expect((await expectStripeError(dear)).code).to.equal('balance_insufficient');
    expect(await stripe.payouts.cancel(made.id)).to.include({ status: 'canceled' });
    const parts = stripe.balanceTransactions.list({ payout: made.id });
    expect((await parts.catch((error: unknown) => error)) as object).to.include({
      type: 'StripeInvalidRequestError',
      param: 'payout',
    });
    const gone = await stripe.accounts.deleteExternalAccount(own.id, bank.id);
    expect(gone).to.deep.include({ id: bank.id, deleted: true });
  });

  it('creates, advances, lists and deletes a test clock, and puts a customer on it', async () => {
    const { testClocks } = stripe.testHelpers;
    const january = Date.parse('2020-01-01T00:00:00Z') / 1_000;
    const clock = await testClocks.create({ frozen_time: january, name: 'A week' });
    expect(clock).to.include({ object: 'test_helpers.test_clock', frozen_time: january });
    expect(clock.deletes_after).to.equal(clock.created + 30 * 86_400);
    const customer = await stripe.customers.create({
      test_clock: clock.id,
      payment_method: 'pm_card_visa',
      invoice_settings: { default_payment_method: 'pm_card_visa' },
    });
    expect(customer).to.include({ test_clock: clock.id, created: january });
    const held = await stripe.charges.create({
      amount: 4200,
      currency: 'eur',
      customer: customer.id,
      capture: false,
    });
    const february = Date.parse('2020-02-01T00:00:00Z') / 1_000;
    const moving = await testClocks.advance(clock.id, { frozen_time: february });
    expect(moving.status).to.equal('advancing');
    expect(moving.status_details.advancing).to.deep.equal({ target_frozen_time: february });
    await app.worker.drain();
    const after = await testClocks.retrieve(clock.id);
    expect(after).to.include({ status: 'ready', frozen_time: february });
    const expired = await stripe.charges.retrieve(held.id);
    expect(expired).to.include({ status: 'failed', created: january });
    const listed = await stripe.customers.list({ test_clock: clock.id });
    expect(listed.data.map(({ id }) => id)).to.deep.equal([customer.id]);
    const clocks = await testClocks.list({ limit: 1 });
    expect(clocks.data.map(({ id }) => id)).to.deep.equal([clock.id]);
    const backwards = await expectStripeError(testClocks.advance(clock.id, { frozen_time: 1 }));
    expect(backwards.code).to.equal('test_clock_backwards');
    expect(await testClocks.del(clock.id)).to.deep.include({ id: clock.id, deleted: true });
    const gone = await expectStripeError(testClocks.retrieve(clock.id));
    expect(gone.statusCode).to.equal(404);
  });

  it('lists charges with auto-pagination, newest first, each once', async () => {
    const made: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      const charge = await stripe.charges.create({
        amount: 100 + count,
        currency: 'usd',
        source: 'tok_visa',
      });
      made.unshift(charge.id);
    }
    const seen: string[] = [];
    for await (const charge of stripe.charges.list({ limit: 2 })) {
      seen.push(charge.id);
      if (seen.length === 5) break;
    }
    expect(seen).to.deep.equal(made);
  });

  it('authorizes, captures a part, and refunds', async () => {
    const held = await stripe.charges.create({
      amount: 1000,
      currency: 'eur',
      source: 'tok_mastercard',
      capture: false,
    });
    expect(held.status).to.equal('authorized');
    const captured = await stripe.charges.capture(held.id, { amount: 600 });
    expect(captured).to.include({ status: 'succeeded', amount_captured: 600, captured: true });
    const refund = await stripe.refunds.create({ charge: held.id, amount: 200 });
    expect(refund).to.include({ object: 'refund', amount: 200, status: 'succeeded' });
    expect((await stripe.refunds.retrieve(refund.id)).id).to.equal(refund.id);
    const changed = await stripe.refunds.update(refund.id, { metadata: { ticket: '7' } });
    expect(changed.metadata).to.deep.equal({ ticket: '7' });
    const late = await expectStripeError(stripe.refunds.cancel(refund.id));
    expect([late.statusCode, late.code]).to.deep.equal([400, 'status_transition_invalid']);
    const page = await stripe.refunds.list({ charge: held.id });
    expect(page.data.map((each) => each.id)).to.deep.equal([refund.id]);
  });

  it('creates payment methods, with a publishable key too', async () => {
    const year = new Date().getFullYear() + 3;
    const card = { number: '4242424242424242', exp_month: 12, exp_year: year, cvc: '123' };
    const method = await sdk(app, app.publishableKey).paymentMethods.create({ type: 'card', card });
    expect(method).to.include({ object: 'payment_method', type: 'card' });
    expect(method.card?.last4).to.equal('4242');
    const token = await sdk(app, app.publishableKey).tokens.create({
      card: { number: '4242424242424242', exp_month: '12', exp_year: String(year), cvc: '123' },
    });
    expect(await stripe.tokens.retrieve(token.id)).to.include({ type: 'card', used: false });
    const charge = await stripe.charges.create({ amount: 500, currency: 'eur', source: token.id });
    expect(charge.status).to.equal('succeeded');
    expect((await stripe.paymentMethods.retrieve(method.id)).id).to.equal(method.id);
  });

  it('registers, reads, changes, lists and deletes webhook endpoints', async () => {
    const made = await stripe.webhookEndpoints.create({
      url: `${receiver.url}/unused`,
      enabled_events: ['*'],
      description: 'all',
    });
    expect(made.secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const found = await stripe.webhookEndpoints.retrieve(made.id);
    expect(found.secret).to.equal(undefined);
    const changed = await stripe.webhookEndpoints.update(made.id, { disabled: true });
    expect(changed.status).to.equal('disabled');
    const page = await stripe.webhookEndpoints.list({ limit: 100 });
    expect(page.data.map((each) => each.id)).to.include(made.id);
    expect(await stripe.webhookEndpoints.del(made.id)).to.deep.include({
      id: made.id,
      deleted: true,
    });
    expect(
      (await expectStripeError(stripe.webhookEndpoints.retrieve(made.id))).statusCode,
    ).to.equal(404);
  });

  it('verifies a delivery as received, and reads the same event', async () => {
    const endpoint = await stripe.webhookEndpoints.create({
      url: `${receiver.url}/hook`,
      enabled_events: ['charge.succeeded'],
    });
    const charge = await stripe.charges.create({
      amount: 777,
      currency: 'eur',
      source: 'tok_visa',
    });
    await receiver.waitFor(1);
    const request = receiver.requests.find(
      (each) => JSON.parse(String(each.body)).data.object.id === charge.id,
    );
    if (request === undefined) throw new Error('the event of this charge was not delivered');
    const header = request.headers['service-signature'];
    const event = stripe.webhooks.constructEvent(
      request.body,
      String(header),
      endpoint.secret ?? '',
    );
    expect(event.type).to.equal('charge.succeeded');
    expect((await stripe.events.retrieve(event.id)).id).to.equal(event.id);
    const page = await stripe.events.list({ type: 'charge.succeeded', limit: 1 });
    expect(page.data[0]?.id).to.equal(event.id);
    await stripe.webhookEndpoints.del(endpoint.id);
  });

  it('reads the balance and its transactions', async () => {
    const balance = await stripe.balance.retrieve();
    expect(balance.object).to.equal('balance');
    expect(balance.pending.map((funds) => funds.currency)).to.include('eur');
    const page = await stripe.balanceTransactions.list({ limit: 1 });
    const [line] = page.data;
    expect(line?.object).to.equal('balance_transaction');
    const found = await stripe.balanceTransactions.retrieve(line?.id ?? '');
    expect(found).to.include({ id: line?.id, source: line?.source });
  });

  it('throws its own error class for 400, 401, 402 and 404', async () => {
    const wrong = await expectStripeError(
      stripe.charges.create({ amount: 0, currency: 'eur', source: 'tok_visa' }),
    );
    expect(wrong).to.be.instanceOf(Stripe.errors.StripeInvalidRequestError);
    expect(wrong).to.include({ statusCode: 400, code: 'amount_too_small', param: 'amount' });
    const stranger = await expectStripeError(
      sdk(app, `${app.secretKey.slice(0, -6)}000000`).charges.list(),
    );
    expect(stranger).to.be.instanceOf(Stripe.errors.StripeAuthenticationError);
    expect(stranger.statusCode).to.equal(401);
    const declined = await expectStripeError(
      stripe.charges.create({ amount: 100, currency: 'eur', source: 'tok_visa_chargeDeclined' }),
    );
    expect(declined).to.be.instanceOf(Stripe.errors.StripeCardError);
    expect(declined).to.include({
      statusCode: 402,
      code: 'card_declined',
      decline_code: 'generic_decline',
    });
    const missing = await expectStripeError(stripe.charges.retrieve('ch_unknown'));
    expect(missing).to.be.instanceOf(Stripe.errors.StripeInvalidRequestError);
    expect(missing).to.include({ statusCode: 404, code: 'resource_missing' });
  });

  it('gets the same charge again with one idempotency key', async () => {
    const idempotencyKey = randomUUID();
    const params = { amount: 321, currency: 'eur', source: 'tok_visa' };
    const first = await stripe.charges.create(params, { idempotencyKey });
    const again = await stripe.charges.create(params, { idempotencyKey });
    expect(again.id).to.equal(first.id);
    expect(again.lastResponse.headers['idempotent-replayed']).to.equal('true');
    const other = await expectStripeError(
      stripe.charges.create({ ...params, amount: 322 }, { idempotencyKey }),
    );
    expect(other).to.be.instanceOf(Stripe.errors.StripeIdempotencyError);
  });

  it('retries a cut connection with one idempotency key, and the charge is made once', async () => {
    answersToCut = 1;
    const charge = await stripe.charges.create({
      amount: 909,
      currency: 'eur',
      source: 'tok_visa',
      metadata: { cut: 'once' },
    });
    expect(answersToCut).to.equal(0);
    expect(charge.lastResponse.headers['idempotent-replayed']).to.equal('true');
    const page = await stripe.charges.list({ limit: 100 });
    expect(page.data.filter((each) => each.amount === 909).map((each) => each.id)).to.deep.equal([
      charge.id,
    ]);
  });
});

describe('the official stripe SDK over days', () => {
  const clock = fakeClock('2026-11-21T12:00:00.000Z');
  let app: Awaited<ReturnType<typeof startAdminApp>>;
  let shop: PaidOut;
  let stripe: Stripe;

  before(async () => {
    app = await startAdminApp({ clock });
    shop = new PaidOut(app, clock);
    stripe = sdk(app);
  });
  after(async () => {
    expect(await app.paymount.verify()).to.deep.equal([]);
    await app.close();
  });

  it('debits a bank account with a mandate, which clears days later', async () => {
    const numbers = { account_number: '000123456789', routing_number: '110000000' };
    // An extension, which the types of the package do not know.
    const consent = { mandate_data: { customer_acceptance: { type: 'online' } } };
    const method = await stripe.paymentMethods.create({
      type: 'us_bank_account',
      us_bank_account: { ...numbers, account_holder_type: 'individual' },
      billing_details: { name: 'Ada' },
      ...consent,
    });
    expect(method.us_bank_account).to.include({ last4: '6789', routing_number: '110000000' });
    expect(method).to.have.nested.property('mandate.type', 'online');
    const params = { amount: 5_000, currency: 'usd', payment_method: method.id };
    const debit = await stripe.charges.create(params);
    expect(debit).to.include({ status: 'pending', paid: false });
    expect(debit.payment_method_details?.us_bank_account).to.include({ last4: '6789' });
    await shop.pass(5 * DAY);
    expect(await stripe.charges.retrieve(debit.id)).to.include({ status: 'succeeded', paid: true });
    const [line] = (await stripe.balanceTransactions.list({ source: debit.id })).data;
    expect(line).to.include({ type: 'payment', amount: 5_000, currency: 'usd' });
  });

  it('lists what an automatic payout contains', async () => {
    await shop.addBank();
    const schedule = { interval: 'daily', delay_days: 0 };
    await app.admin(`/accounts/${app.account}/payout_settings`, { body: { schedule } });
    const sale = { amount: 7_000, currency: 'eur', source: 'tok_visa' };
    const charge = await stripe.charges.create(sale);
    await shop.pass(3 * DAY);
    const [payout] = (await stripe.payouts.list()).data;
    expect(payout).to.include({ amount: 7_000, currency: 'eur', automatic: true });
    const parts = await stripe.balanceTransactions.list({ payout: payout?.id ?? '' });
    expect(parts.data.map(({ type, net, source }) => [type, net, source])).to.deep.equal([
      ['charge', 7_000, charge.id],
    ]);
    await shop.settle();
    expect((await stripe.payouts.retrieve(payout?.id ?? '')).status).to.equal('paid');
  });

  it('answers disputes: with evidence and files, or by accepting them', async () => {
    const sale = { amount: 4_200, currency: 'eur', source: 'tok_createDispute' };
    const [answered, accepted] = [
      await stripe.charges.create(sale),
      await stripe.charges.create(sale),
    ];
    await shop.pass(3_000);
    const disputeOf = async (charge: string) =>
      (await stripe.disputes.list({ charge })).data[0]?.id ?? '';
    const id = await disputeOf(answered.id);
    expect(await stripe.disputes.retrieve(id)).to.include({
      status: 'needs_response',
      amount: 4_200,
      charge: answered.id,
    });
    const file = { data: PDF, name: 'receipt.pdf', type: 'application/pdf' };
    const purpose = 'dispute_evidence';
    const { id: receipt } = await stripe.files.create({ purpose, file });
    expect(await stripe.files.retrieve(receipt)).to.include({ purpose, size: PDF.length });
    const { data: files } = await stripe.files.list({ purpose });
    expect(files.map((each) => each.id)).to.deep.equal([receipt]);
    const evidence = { receipt, product_description: 'Two tickets' };
    const draft = await stripe.disputes.update(id, { evidence, submit: false });
    expect(draft.evidence).to.include(evidence);
    const closed = await stripe.disputes.close(await disputeOf(accepted.id));
    await app.worker.drain();
    expect((await stripe.disputes.retrieve(closed.id)).status).to.equal('lost');
  });

  // The last one of this file: it looks at what all others did.
  it('has driven every route with success that is served and that it can call', () => {
    expect(UNSERVED).to.deep.equal([]);
    expect(routes.driven).to.deep.equal(DRIVABLE);
  });
});
