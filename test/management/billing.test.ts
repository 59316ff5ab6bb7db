import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type AdminApp, type AdminAsk, startAdminApp } from '../support/admin-app.ts';
import type { Reply } from '../support/ask.ts';
import { type Document, fault, findContent } from '../support/openapi-document.ts';
import { SubscriptionSetup } from '../support/subscription-setup.ts';
import { documentOf } from './management-document.ts';

const START = '2030-04-01T00:00:00.000Z';
const REASON = { reason: '  The customer called. ' };

type Json = Readonly<Record<string, unknown>>;

describe('Billing of merchants, for admins', () => {
  let app: AdminApp;
  let shop: SubscriptionSetup;
  let document: Document;
  let clock: string;
  let customer: string;
  let price: string;
  before(async () => {
    app = await startAdminApp();
    shop = new SubscriptionSetup(app);
    document = await documentOf(app.url);
  });
  after(async () => {
    expect(await app.paymount.verify()).to.deep.equal([]);
    await app.close();
  });
  beforeEach(async () => {
    clock = await shop.clock(START);
    customer = await shop.customer(clock);
    price = await shop.newPrice(1_000);
  });

  /** Asks, and holds the answer against the document. */
  async function ask(name: string, id = '', more: AdminAsk & { query?: string } = {}) {
    const [method = '', pattern = ''] = name.split(' ');
    const { query: asked = '', ...sent } = more;
    const reply = await app.admin(pattern.replace('{id}', id) + asked, { method, ...sent });
    if (reply.status !== 200) return reply;
    const content = findContent(document.paths[pattern]?.[method.toLowerCase()], 200, document);
    const schema = content?.['application/json']?.schema;
    expect(schema && fault(reply.json, schema, document), `${name}: ${reply.text}`).to.equal(
      undefined,
    );
    return reply;
  }
  const read = async (name: string, id: string): Promise<Json> => {
    const { status, text, json } = await ask(name, id);
    expect(status, text).to.equal(200);
    return json;
  };
  const list = async (what: string, filter: string): Promise<readonly string[]> => {
    const { status, text, json } = await ask(`GET /${what}`, '', { query: `?${filter}` });
    expect(status, text).to.equal(200);
    return (json['data'] as { id: string }[]).map(({ id }) => id);
  };
  const subscribe = async (more: object = {}): Promise<string> => {
    const asked = { customer, items: [{ price }], ...more };
    return String((await shop.make('/v1/subscriptions', asked))['id']);
  };
  const decline = async (): Promise<void> =>
    shop.useMethod(customer, await shop.attach(customer, 'pm_card_visa_chargeDeclined'));
  const newInvoice = async (): Promise<string> => {
    const { id } = await shop.make('/v1/invoices', { customer, currency: 'eur' });
    await shop.make('/v1/invoiceitems', { customer, invoice: id, amount: 700, currency: 'eur' });
    await shop.make(`/v1/invoices/${String(id)}/finalize`);
    return String(id);
  };
  const auditOf = async (target: string) => {
    const { json } = await app.admin(`/audit?target=${target}`);
    return (json['data'] as Json[]).map(({ action, actor, account, livemode, before, after }) => ({
      action,
      actor,
      account,
      livemode,
      before,
      after,
    }));
  };
  const refused = ({ status, error }: Reply) => [status, error['code'], error['param']];

  it('is read with the periods, the attempts, and what is due next', async () => {
    const id = await subscribe();
    await decline();
    await shop.advance(clock, '2030-05-01T00:00:00.000Z');
    const [first, second] = await shop.invoicesOf(id);
    const shown = await read('GET /subscriptions/{id}', id);
    expect(shown).to.deep.include({
      id,
      account: app.account,
      status: 'past_due',
      next_action: { kind: 'retry', at: '2030-05-02T00:00:00.000Z' },
      due_at: '2030-05-02T00:00:00.000Z',
      charging_invoice: null,
      decline_class: 'limited',
      gives_up_at: '2030-05-08T00:00:00.000Z',
      periods: [
        {
          index: 1,
          start: '2030-05-01T00:00:00.000Z',
          end: '2030-06-01T00:00:00.000Z',
          invoice: second?.['id'],
          billed: true,
        },
        {
          index: 0,
          start: START,
          end: '2030-05-01T00:00:00.000Z',
          invoice: first?.['id'],
          billed: true,
        },
      ],
    });
    const attempts = [
      {
        charge: second?.['charge'],
        invoice: second?.['id'],
        livemode: false,
        created: '2030-05-01T00:00:00.000Z',
        status: 'failed',
        amount: 1_000,
        currency: 'eur',
        scheduled: true,
        failure_code: 'card_declined',
        decline_code: 'generic_decline',
      },
      {
        charge: first?.['charge'],
        invoice: first?.['id'],
        livemode: false,
        created: START,
        status: 'succeeded',
        amount: 1_000,
        currency: 'eur',
        scheduled: false,
        failure_code: null,
        decline_code: null,
      },
    ];
    const withoutMethod = (each: Json) => {
      const { payment_method: method, ...rest } = each;
      expect(method).to.match(/^pm_/);
      return rest;
    };
    expect((shown['attempts'] as Json[]).map(withoutMethod)).to.deep.equal(attempts);
    const invoice = await read('GET /invoices/{id}', String(second?.['id']));
    expect(invoice).to.include({ account: app.account, status: 'open', overdue: false });
    expect((invoice['attempts'] as Json[]).map(withoutMethod)).to.deep.equal([attempts[0]]);
  });

  it('is found by customer, status, class of decline, and time', async () => {
    const late = await subscribe();
    await decline();
    await shop.advance(clock, '2030-05-01T00:00:00.000Z');
    const card = await shop.attach(customer, 'pm_card_visa');
    const active = await subscribe({ default_payment_method: card });
    const of = `customer=${customer}`;
    expect(await list('subscriptions', of)).to.deep.equal([active, late]);
    expect(await list('subscriptions', `${of}&limit=1&starting_after=${active}`)).to.deep.equal([
      late,
    ]);
    expect(await list('subscriptions', `${of}&account=${app.account}&livemode=true`)).to.deep.equal(
      [],
    );
    expect(await list('subscriptions', `${of}&status=past_due`)).to.deep.equal([late]);
    expect(await list('subscriptions', `${of}&decline_class=limited`)).to.deep.equal([late]);
    expect(await list('subscriptions', `${of}&decline_class=never`)).to.deep.equal([]);
    const before = encodeURIComponent('2030-05-20T00:00:00Z');
    expect(await list('subscriptions', `${of}&due_before=${before}`)).to.deep.equal([late]);
  });

  it('is found by what is overdue: open, and its due date has passed', async () => {
    const sent = { collection_method: 'send_invoice', days_until_due: 5 };
    const id = await subscribe(sent);
    const of = `subscription=${id}`;
    const [invoice] = await list('invoices', of);
    expect(await list('invoices', `${of}&overdue=true`)).to.deep.equal([]);
    const day = (date: string) => encodeURIComponent(`${date}T00:00:00Z`);
    expect(await list('invoices', `${of}&due_before=${day('2030-04-06')}`)).to.deep.equal([]);
    expect(await list('invoices', `${of}&due_before=${day('2030-04-07')}`)).to.deep.equal([
      invoice,
    ]);
    expect(await list('invoices', `${of}&overdue=false`)).to.deep.equal([invoice]);
    await shop.advance(clock, '2030-04-06T00:00:00.000Z');
    expect(await list('invoices', `${of}&overdue=true`)).to.deep.equal([invoice]);
    expect(await read('GET /invoices/{id}', String(invoice))).to.include({ overdue: true });
    await shop.make(`/v1/invoices/${String(invoice)}/void`);
    expect(await list('invoices', `${of}&overdue=true`)).to.deep.equal([]);
    expect(await list('invoices', `${of}&status=void`)).to.deep.equal([invoice]);
  });

  it('refuses a filter that is no id', async () => {
    for (const [what, filter] of [
      ['subscriptions', 'customer'],
      ['invoices', 'customer'],
      ['invoices', 'subscription'],
    ]) {
      const reply = await ask(`GET /${what}`, '', { query: `?${filter}=no` });
      expect(refused(reply)).to.deep.equal([400, 'parameter_invalid', filter]);
    }
  });

  it('ends a subscription at once, as its merchant would, with a reason', async () => {
    const id = await subscribe();
    await shop.advance(clock, '2030-04-16T00:00:00.000Z');
    const body = { ...REASON, prorate: true };
    const headers = { 'idempotency-key': randomUUID() };
    const reply = await ask('POST /subscriptions/{id}/cancel', id, { body, headers });
    expect(reply.json).to.include({ status: 'canceled', ended_at: '2030-04-16T00:00:00.000Z' });
    const again = await ask('POST /subscriptions/{id}/cancel', id, { body, headers });
    expect([again.text, again.headers['idempotent-replayed']]).to.deep.equal([reply.text, 'true']);
    const waiting = await shop.read(`/v1/invoiceitems?customer=${customer}&pending=true`);
    expect((waiting['data'] as Json[]).map(({ amount }) => amount)).to.deep.equal([-500]);
    expect((await shop.eventsOf(id)).at(-1)).to.equal(
      'subscription.canceled 2030-04-16T00:00:00.000Z',
    );
    const [latest] = await shop.invoicesOf(id);
    const facts = { cancel_at: null, cancel_at_period_end: false, latest_invoice: latest?.['id'] };
    expect(await auditOf(id)).to.deep.equal([
      {
        action: 'subscription.cancel',
        actor: { type: 'admin', id: 'ada@shop.test' },
        account: app.account,
        livemode: false,
        before: { status: 'active', ...facts },
        after: { status: 'canceled', ...facts, reason: 'The customer called.' },
      },
    ]);
  });

  it('ends a subscription with its period', async () => {
    const id = await subscribe();
    const body = { ...REASON, at_period_end: true };
    const { json } = await ask('POST /subscriptions/{id}/cancel', id, { body });
    expect(json).to.include({ status: 'active', cancel_at_period_end: true });
    const [entry] = await auditOf(id);
    expect(entry?.action).to.equal('subscription.update');
    expect(entry?.after).to.deep.include({
      cancel_at_period_end: true,
      reason: 'The customer called.',
    });
    await shop.advance(clock, '2030-05-01T00:00:00.000Z');
    expect(await shop.subscription(id)).to.include({ status: 'canceled' });
    for (const more of [{ prorate: true }, { invoice_now: true }]) {
      const reply = await ask('POST /subscriptions/{id}/cancel', id, {
        body: { ...body, ...more },
      });
      const [param] = Object.keys(more);
      expect(refused(reply)).to.deep.equal([400, 'parameters_exclusive', param]);
    }
  });

  it('charges what waits when a subscription ends with invoice_now', async () => {
    const id = await subscribe();
    await shop.make('/v1/invoiceitems', { customer, amount: 300, currency: 'eur' });
    const body = { ...REASON, invoice_now: true };
    const headers = { 'idempotency-key': randomUUID() };
    const { json, text } = await ask('POST /subscriptions/{id}/cancel', id, { body, headers });
    expect(json).to.include({ status: 'canceled' });
    const [, last] = await shop.invoicesOf(id);
    expect([last?.['status'], last?.['amount_paid'], json['latest_invoice']]).to.deep.equal([
      'paid',
      300,
      last?.['id'],
    ]);
    const again = await ask('POST /subscriptions/{id}/cancel', id, { body, headers });
    expect(again.text).to.equal(text);
    expect(await shop.invoicesOf(id)).to.have.lengthOf(2);
  });

  it('voids an invoice, or marks it as uncollectible', async () => {
    for (const [action, after] of [
      ['void', 'void'],
      ['mark_uncollectible', 'uncollectible'],
    ]) {
      const id = await newInvoice();
      const { json } = await ask(`POST /invoices/{id}/${action}`, id, { body: REASON });
      expect(json).to.include({ id, status: after });
      const facts = { charge: null, attempt_count: 0 };
      expect(await auditOf(id)).to.deep.equal([
        {
          action: `invoice.${action}`,
          actor: { type: 'admin', id: 'ada@shop.test' },
          account: app.account,
          livemode: false,
          before: { status: 'open', ...facts },
          after: { status: after, ...facts, reason: 'The customer called.' },
        },
      ]);
    }
  });

  it('charges an invoice again, once under one key, and says which charge it is', async () => {
    const id = await newInvoice();
    const headers = { 'idempotency-key': randomUUID() };
    const tried = await ask('POST /invoices/{id}/retry', id, { body: REASON, headers });
    expect(tried.json).to.include({ status: 'open', attempt_count: 1 });
    expect(await read('GET /invoices/{id}', id)).to.deep.include({
      status: 'paid',
      charge: tried.json['charge'],
    });
    const again = await ask('POST /invoices/{id}/retry', id, { body: REASON, headers });
    expect([again.text, again.headers['idempotent-replayed']]).to.deep.equal([tried.text, 'true']);
    const shown = await read('GET /invoices/{id}', id);
    expect(shown['attempts']).to.have.lengthOf(1);
    const [entry] = await auditOf(id);
    expect(entry).to.deep.include({
      action: 'invoice.pay',
      before: { status: 'open', charge: null, attempt_count: 0 },
      after: {
        status: 'open',
        charge: tried.json['charge'],
        attempt_count: 1,
        reason: 'The customer called.',
      },
    });
    const paid = await ask('POST /invoices/{id}/retry', id, { body: REASON });
    expect(refused(paid).slice(0, 2)).to.deep.equal([400, 'status_transition_invalid']);
  });

  it('recovers a subscription whose invoice is charged again, and shows a decline', async () => {
    const id = await subscribe();
    await decline();
    await shop.advance(clock, '2030-05-01T00:00:00.000Z');
    const [, failed] = await shop.invoicesOf(id);
    const invoice = String(failed?.['id']);
    const { status } = await ask('POST /invoices/{id}/retry', invoice, { body: REASON });
    expect(status).to.equal(200);
    const tried = await read('GET /subscriptions/{id}', id);
    expect(tried).to.deep.include({
      status: 'past_due',
      next_action: { kind: 'retry', at: '2030-05-02T00:00:00.000Z' },
    });
    const outcomes = (tried['attempts'] as Json[]).map((each) => [
      each['status'],
      each['scheduled'],
    ]);
    expect(outcomes).to.deep.equal([
      ['failed', false],
      ['failed', true],
      ['succeeded', false],
    ]);
    await shop.useMethod(customer, await shop.attach(customer, 'pm_card_visa'));
    await ask('POST /invoices/{id}/retry', invoice, { body: REASON });
    expect(await read('GET /subscriptions/{id}', id)).to.include({ status: 'active' });
  });

  it('charges nobody for an account that is suspended, and may cancel and void', async () => {
    const [id, other] = [await newInvoice(), await newInvoice()];
    await app.paymount.accounts.suspend(app.account);
    try {
      const reply = await ask('POST /invoices/{id}/retry', id, { body: REASON });
      expect(refused(reply).slice(0, 2)).to.deep.equal([403, 'account_disabled']);
      const { json } = await ask('POST /invoices/{id}/void', other, { body: REASON });
      expect(json['status']).to.equal('void');
      expect(await read('GET /invoices/{id}', id)).to.include({ status: 'open', charge: null });
    } finally {
      await app.paymount.accounts.resume(app.account);
    }
  });

  it('charges no draft: the merchant may still be changing it', async () => {
    const draft = await shop.make('/v1/invoices', { customer, currency: 'eur' });
    const id = String(draft['id']);
    const reply = await ask('POST /invoices/{id}/retry', id, { body: REASON });
    expect(refused(reply).slice(0, 2)).to.deep.equal([400, 'status_transition_invalid']);
    expect(await shop.read(`/v1/invoices/${id}`)).to.include({ status: 'draft' });
  });

  it('asks for a reason, and changes nothing without one', async () => {
    const id = await newInvoice();
    const subscription = await subscribe();
    for (const [name, target] of [
      ['POST /invoices/{id}/void', id],
      ['POST /invoices/{id}/mark_uncollectible', id],
      ['POST /invoices/{id}/retry', id],
      ['POST /subscriptions/{id}/cancel', subscription],
    ] as const) {
      const code = async (body: object) => refused(await ask(name, target, { body }));
      expect(await code({}), name).to.deep.equal([400, 'parameter_missing', 'reason']);
      expect((await code({ reason: '   ' }))[0], name).to.equal(400);
    }
    expect(await shop.read(`/v1/invoices/${id}`)).to.include({ status: 'open', attempt_count: 0 });
    expect(await shop.subscription(subscription)).to.include({ status: 'active' });
  });

  it('is read by support, and changed by admins, in test by developers', async () => {
    const id = await newInvoice();
    const as = async (role: string, name: string) =>
      (await ask(name, id, { token: await app.token([role]), ...bodyOf(name) })).status;
    const bodyOf = (name: string) => (name.startsWith('GET') ? {} : { body: REASON });
    for (const role of ['viewer', 'support', 'security']) {
      expect(await as(role, 'GET /invoices/{id}'), role).to.equal(200);
      expect(await as(role, 'POST /invoices/{id}/void'), role).to.equal(403);
    }
    expect(await as('developer', 'POST /invoices/{id}/void')).to.equal(200);
  });
});
