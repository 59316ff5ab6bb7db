import { expect } from 'chai';
import createKnex, { type Knex } from 'knex';
import { startApp, type TestApp } from '../support/app.ts';
import { type Ask, ask, JSON_TYPE, postJson, type Reply } from '../support/ask.ts';
import { fakeClock } from '../support/clock.ts';
import { query } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { rejectionCode } from '../support/rejection-code.ts';

const CLOCK = '2026-11-21T12:00:00.000Z';
const FINAL_REFUSAL = [400, 'status_transition_invalid', undefined];

type Json = Readonly<Record<string, unknown>>;

describe('Invoices', () => {
  let app: TestApp;
  let knex: Knex;
  let customer: string;
  before(async () => {
    app = await startApp({ paymount: { clock: fakeClock(CLOCK) } });
    knex = createKnex({ client: 'pg', connection: app.databaseUrl, pool: { min: 0, max: 4 } });
  });
  after(async () => {
    await knex.destroy();
    await app.close();
  });
  beforeEach(async () => {
    customer = await newCustomer('pm_card_visa');
  });

  const url = (path: string) => `${app.url}/v1${path}`;
  const key = () => ({ key: app.secretKey });
  const post = (path: string, body: object = {}, more: Ask = {}): Promise<Reply> =>
    postJson(url(path), body, { ...key(), ...more });
  const get = (path: string) => ask(url(path), key());
  const remove = (path: string) =>
    ask(url(path), { ...key(), method: 'DELETE', headers: JSON_TYPE });
  const make = async (path: string, body: object = {}): Promise<Json> => {
    const { status, json, text } = await post(path, body);
    expect(status, text).to.equal(200);
    return json;
  };
  const read = async (path: string): Promise<Json> => (await get(path)).json;
  const refusal = async (reply: Promise<Reply>): Promise<readonly unknown[]> => {
    const { status, json } = await reply;
    const { code, param } = json['error'] as { code: string; param?: string };
    return [status, code, param];
  };
  const attach = async (to: string, card: string): Promise<string> =>
    String((await make(`/payment_methods/${card}/attach`, { customer: to }))['id']);
  async function newCustomer(card?: string): Promise<string> {
    const { id } = await make('/customers', { name: 'Ada', email: 'ada@example.com' });
    const made = String(id);
    if (card !== undefined) {
      const method = await attach(made, card);
      await make(`/customers/${made}`, { invoice_settings: { default_payment_method: method } });
    }
    return made;
  }
  const newItem = (amount: number, more: object = {}) =>
    make('/invoiceitems', { customer, amount, currency: 'eur', description: 'Tea', ...more });
  const draft = async (amounts: readonly number[], more: object = {}): Promise<string> => {
    for (const amount of amounts) await newItem(amount);
    const included = { customer, pending_invoice_items_behavior: 'include', currency: 'eur' };
    return String((await make('/invoices', { ...included, ...more }))['id']);
  };
  const open = async (amount: number): Promise<string> => {
    const id = await draft([amount]);
    await make(`/invoices/${id}/finalize`);
    return id;
  };

  it('takes what waits for a customer, issues it and charges it', async () => {
    const first = await newItem(1_900, { period: { start: CLOCK, end: '2026-12-21T12:00:00Z' } });
    expect(first).to.deep.equal({
      id: first['id'],
      object: 'invoiceitem',
      livemode: false,
      date: CLOCK,
      metadata: {},
      customer,
      amount: 1_900,
      unit_amount: 1_900,
      quantity: 1,
      currency: 'eur',
      description: 'Tea',
      price: null,
      period: { start: CLOCK, end: '2026-12-21T12:00:00.000Z' },
      proration: false,
      invoice: null,
      subscription: null,
      test_clock: null,
    });
    await newItem(-400, { description: 'Discount' });
    const made = await make('/invoices', {
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
      created: CLOCK,
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
            amount: 1_900,
            currency: 'eur',
            description: 'Tea',
            quantity: 1,
            price: null,
            period: { start: CLOCK, end: '2026-12-21T12:00:00.000Z' },
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
      paid_out_of_band: false,
      due_date: null,
      period_start: CLOCK,
      period_end: CLOCK,
      status_transitions: {
        finalized_at: null,
        paid_at: null,
        voided_at: null,
        marked_uncollectible_at: null,
      },
      description: 'Thank you',
      footer: null,
      test_clock: null,
    };
    expect(made).to.deep.equal(expected);
    expect((await read(`/invoiceitems/${String(first['id'])}`))['invoice']).to.equal(id);
    const issued = await make(`/invoices/${id}/finalize`);
    expect(issued).to.deep.equal({
      ...expected,
      number: 'INV-000001',
      status: 'open',
      customer_name: 'Ada',
      customer_email: 'ada@example.com',
      ending_balance: 0,
      status_transitions: { ...expected.status_transitions, finalized_at: CLOCK },
    });
    const paid = await make(`/invoices/${id}/pay`);
    expect(paid).to.deep.equal({
      ...issued,
      status: 'paid',
      charge: paid['charge'],
      amount_paid: 1_500,
      amount_remaining: 0,
      attempt_count: 1,
      attempted: true,
      status_transitions: { ...expected.status_transitions, finalized_at: CLOCK, paid_at: CLOCK },
    });
    expect(await read(`/invoices/${id}`)).to.deep.equal(paid);
    const charge = await read(`/charges/${String(paid['charge'])}?expand[]=invoice`);
    expect(charge).to.deep.include({
      amount: 1_500,
      status: 'succeeded',
      customer,
      description: 'Invoice INV-000001',
      invoice: paid,
    });
    const of = await get(`/invoices?customer=${customer}&status=paid`);
    expect((of.json['data'] as Json[]).map((each) => each['id'])).to.deep.equal([id]);
  });

  it('keeps an invoice open if its charge is declined, and takes another card', async () => {
    const declined = await attach(customer, 'pm_card_visa_chargeDeclined');
    const id = await open(1_900);
    const keyed = { headers: { 'idempotency-key': `pay ${id}` } };
    const pay = () => post(`/invoices/${id}/pay`, { payment_method: declined }, keyed);
    const refused = await pay();
    expect(refused.status).to.equal(402);
    const error = refused.json['error'] as Json;
    expect(error['code']).to.equal('card_declined');
    const again = await pay();
    expect([again.status, again.json]).to.deep.equal([402, refused.json]);
    const after = await read(`/invoices/${id}`);
    expect(after).to.include({ status: 'open', attempt_count: 1, charge: error['charge'] });
    const good = { headers: { 'idempotency-key': `pay again ${id}` } };
    const paid = await post(`/invoices/${id}/pay`, {}, good);
    expect(paid.json).to.include({ status: 'paid', attempt_count: 2 });
    const replayed = await post(`/invoices/${id}/pay`, {}, good);
    expect(replayed.json).to.deep.equal(paid.json);
    const rows = await query(
      app.databaseUrl,
      'SELECT status FROM paymount.charges WHERE invoice_id = $1 ORDER BY id',
      [id],
    );
    expect(rows).to.deep.equal([{ status: 'failed' }, { status: 'succeeded' }]);
  });

  it('moves from state to state, and no other way', async () => {
    const of = {
      draft: await draft([100]),
      void: await open(100),
      uncollectible: await open(100),
      paid: await open(100),
    };
    expect(await make(`/invoices/${of.void}/void`)).to.include({ status: 'void' });
    expect(await make(`/invoices/${of.paid}/pay`, { paid_out_of_band: true })).to.include({
      status: 'paid',
      paid_out_of_band: true,
      charge: null,
      amount_paid: 100,
    });
    const doubtful = await make(`/invoices/${of.uncollectible}/mark_uncollectible`);
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
      expect(await refusal(post(`/invoices/${id}/${action}`)), `${action} ${id}`).to.deep.equal(
        expected,
      );
    }
    const paid = await make(`/invoices/${of.uncollectible}/pay`);
    expect(paid['status']).to.equal('paid');
    expect(paid['status_transitions']).to.deep.equal({
      finalized_at: CLOCK,
      paid_at: CLOCK,
      voided_at: null,
      marked_uncollectible_at: CLOCK,
    });
    // A draft is issued and charged at once.
    expect(await make(`/invoices/${of.draft}/pay`)).to.include({ status: 'paid' });
  });

  it('pays at once what costs nothing', async () => {
    const free = await draft([1_000, -1_000]);
    expect(await make(`/invoices/${free}/finalize`)).to.include({
      status: 'paid',
      amount_due: 0,
      charge: null,
      paid_out_of_band: false,
    });
  });

  it('changes and deletes items and drafts until they are issued', async () => {
    const id = await draft([100, 200]);
    const lines = async () =>
      (((await read(`/invoices/${id}/lines`))['data'] as Json[]) ?? []).map((line) => [
        line['description'],
        line['amount'],
        line['quantity'],
      ]);
    const items = (await read(`/invoiceitems?invoice=${id}`))['data'] as Json[];
    expect(items.map((item) => item['amount'])).to.deep.equal([200, 100]);
    const [second, first] = items.map((item) => `/invoiceitems/${String(item['id'])}`);
    await make(String(first), { unit_amount: 50, quantity: 3, description: 'Coffee' });
    expect((await remove(String(second))).json).to.include({ deleted: true });
    await newItem(7, { invoice: id, description: 'Stamp' });
    expect(await lines()).to.deep.equal([
      ['Coffee', 150, 3],
      ['Stamp', 7, 1],
    ]);
    const edited = await make(`/invoices/${id}`, {
      collection_method: 'send_invoice',
      days_until_due: 14,
      footer: 'Bank 1',
    });
    expect(edited).to.include({ total: 157, collection_method: 'send_invoice', due_date: null });
    const issued = await make(`/invoices/${id}/finalize`);
    expect(issued).to.include({ status: 'open', due_date: '2026-12-05T12:00:00.000Z' });
    const overdue = await get(`/invoices?status=open&due_date[lt]=2026-12-06T00:00:00Z`);
    expect((overdue.json['data'] as Json[]).map((each) => each['id'])).to.include(id);
    const frozen = [400, 'invoice_not_draft', undefined];
    expect(await refusal(post(String(first), { description: 'No' }))).to.deep.equal(frozen);
    expect(await refusal(remove(String(first)))).to.deep.equal(frozen);
    expect(await refusal(post(`/invoices/${id}`, { footer: 'No' }))).to.deep.equal(frozen);
    expect(await refusal(remove(`/invoices/${id}`))).to.deep.equal(frozen);
    expect(
      await refusal(post('/invoiceitems', { customer, amount: 1, invoice: id })),
    ).to.deep.equal([400, 'invoice_not_draft', 'invoice']);
    const noted = await make(`/invoices/${id}`, { metadata: { paid_by: 'bank' } });
    expect(noted['metadata']).to.deep.equal({ paid_by: 'bank' });
    const gone = await draft([300]);
    expect((await remove(`/invoices/${gone}`)).json).to.deep.equal({
      id: gone,
      object: 'invoice',
      deleted: true,
    });
    expect(await refusal(get(`/invoices/${gone}`))).to.deep.equal([
      404,
      'resource_missing',
      undefined,
    ]);
    const waiting = await read(`/invoiceitems?customer=${customer}&pending=true`);
    expect((waiting['data'] as Json[]).map((item) => item['amount'])).to.deep.equal([300]);
  });

  it('refuses what no invoice can have', async () => {
    const other = await newCustomer();
    const foreign = await attach(other, 'pm_card_visa');
    const loose = String(
      (await make('/payment_methods', { type: 'card', card: { token: 'tok_visa' } }))['id'],
    );
    const monthly = await make('/prices', {
      product_data: { name: 'Tea' },
      currency: 'eur',
      unit_amount: 1,
      recurring: { interval: 'month' },
    });
    const dollars = await make('/prices', {
      product_data: { name: 'Tea' },
      currency: 'usd',
      unit_amount: 1,
    });
    const id = await open(100);
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
        { ...item, period: { start: CLOCK, end: '2026-11-20T12:00:00Z' } },
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
        { ...invoice, ...sent, due_date: CLOCK },
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
      expect(await refusal(post(path, body)), what).to.deep.equal(expected);
    }
    expect(await read(`/invoices/${id}`)).to.include({ status: 'open', attempt_count: 0 });
    customer = other;
    const without = await open(100);
    await make(`/payment_methods/${foreign}/detach`);
    expect(await refusal(post(`/invoices/${without}/pay`))).to.deep.equal([
      400,
      'payment_method_missing',
      undefined,
    ]);
  });

  it('charges once, however many ask at once', async () => {
    const id = await open(500);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => post(`/invoices/${id}/pay`)),
    );
    const codes = answers.map(({ status, json }) =>
      status === 200 ? json['status'] : (json['error'] as Json)['code'],
    );
    expect(codes.filter((code) => code === 'paid')).to.have.length(1);
    for (const code of codes) {
      expect(code).to.be.oneOf([
        'paid',
        'invoice_payment_in_progress',
        'status_transition_invalid',
      ]);
    }
    const rows = await query(
      app.databaseUrl,
      'SELECT count(*)::int AS charges FROM paymount.charges WHERE invoice_id = $1',
      [id],
    );
    expect(rows).to.deep.equal([{ charges: 1 }]);
  });

  it('gives numbers without gaps, also if a transaction is rolled back', async () => {
    const numberOf = async (id: string) =>
      Number(String((await read(`/invoices/${id}`))['number']).replace('INV-', ''));
    const before = await numberOf(await open(100));
    const drafts: string[] = [];
    for (let count = 0; count < 10; count += 1) drafts.push(await draft([100]));
    const [lost = ''] = drafts;
    const changed = new Error('The host changed its mind.');
    const failure = await rejectionCode(
      knex.transaction(async (trx) => {
        const issued = await app.paymount.using(trx).invoices.finalize(app.acting, lost);
        expect(issued.status).to.equal('open');
        throw changed;
      }),
    );
    expect(failure).to.equal(changed);
    expect((await read(`/invoices/${lost}`))['status']).to.equal('draft');
    await Promise.all(drafts.map((id) => make(`/invoices/${id}/finalize`)));
    const numbers = await Promise.all(drafts.map(numberOf));
    expect(numbers.toSorted((a, b) => a - b)).to.deep.equal(
      drafts.map((_, index) => before + 1 + index),
    );
  });

  it("pays in a host's transaction once that has committed, and not if it is rolled back", async () => {
    const id = await open(500);
    await rejectionCode(
      knex.transaction(async (trx) => {
        await app.paymount.using(trx).invoices.pay(app.acting, id);
        throw new Error('rolled back');
      }),
    );
    expect(await read(`/invoices/${id}`)).to.include({ status: 'open', charge: null });
    const pending = await knex.transaction((trx) =>
      app.paymount.using(trx).invoices.pay(app.acting, id),
    );
    expect(pending).to.include({ status: 'open', attempt_count: 1 });
    await eventually(
      async () => (await read(`/invoices/${id}`))['status'],
      (status) => status === 'paid',
    );
  });

  it('waits for a bank debit, and is neither voided nor charged again meanwhile', async () => {
    customer = await newCustomer();
    const method = await make('/payment_methods', {
      type: 'us_bank_account',
      us_bank_account: { token: 'btok_us' },
      billing_details: { name: 'Ada' },
      mandate_data: { customer_acceptance: { type: 'offline' } },
    });
    await make(`/payment_methods/${String(method['id'])}/attach`, { customer });
    await newItem(900, { currency: 'usd' });
    const id = String(
      (await make('/invoices', { customer, pending_invoice_items_behavior: 'include' }))['id'],
    );
    const sent = await make(`/invoices/${id}/pay`, { payment_method: method['id'] });
    expect(sent).to.include({ status: 'open', attempt_count: 1, amount_paid: 0 });
    const busy = [409, 'invoice_payment_in_progress', undefined];
    for (const action of ['pay', 'void', 'mark_uncollectible']) {
      expect(await refusal(post(`/invoices/${id}/${action}`)), action).to.deep.equal(busy);
    }
    expect(await refusal(post(`/invoices/${id}/pay`, { paid_out_of_band: true }))).to.deep.equal(
      busy,
    );
    await query(app.databaseUrl, `UPDATE paymount.sandbox_notices SET due_at = 'epoch'`);
    await app.worker.drain();
    const paid = await eventually(
      () => read(`/invoices/${id}`),
      ({ status }) => status === 'paid',
    );
    expect(paid).to.include({ charge: sent['charge'], amount_paid: 900 });
  });

  it('lets nobody change what was issued, or pay it twice, past the API', async () => {
    const id = await open(500);
    await make(`/invoices/${id}/pay`);
    const denied = async (sql: string): Promise<unknown> =>
      knex.raw(sql, [id]).then(
        () => 'accepted',
        (error: { constraint?: string }) => error.constraint,
      );
    expect(await denied('UPDATE paymount.invoices SET total = 1 WHERE id = ?')).to.equal(
      'invoices_never_change',
    );
    expect(await denied(`UPDATE paymount.invoices SET number = 77 WHERE id = ?`)).to.equal(
      'invoices_never_change',
    );
    expect(
      await denied(`UPDATE paymount.invoices SET status = 'open', paid_at = NULL WHERE id = ?`),
    ).to.equal('invoices_never_change');
    const fresh = await draft([500]);
    expect(
      await knex
        .raw('UPDATE paymount.invoices SET total = 1 WHERE id = ?', [fresh])
        .catch((error: { constraint?: string }) => error.constraint),
    ).to.equal('invoices_total');
    expect(
      await denied(`INSERT INTO paymount.charges SELECT (jsonb_populate_record(c,
        jsonb_build_object('id', 'ch_00000000000000000000000000'))).* FROM paymount.charges c
        WHERE invoice_id = ?`),
    ).to.equal('charges_of_invoice');
  });
});
