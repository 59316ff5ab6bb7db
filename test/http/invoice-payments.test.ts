import { expect } from 'chai';
import createKnex, { type Knex } from 'knex';
import { query } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { type InvoiceShop, type Json, refusal, startInvoiceShop } from '../support/invoice-shop.ts';
import { rejectionCode } from '../support/rejection-code.ts';

describe('Payments of invoices', () => {
  let shop: InvoiceShop;
  let customer: string;
  let knex: Knex;
  before(async () => {
    shop = await startInvoiceShop();
    knex = createKnex({ client: 'pg', connection: shop.databaseUrl, pool: { min: 0, max: 4 } });
  });
  after(async () => {
    await knex.destroy();
    await shop.close();
  });
  beforeEach(async () => {
    customer = await shop.newCustomer('pm_card_visa');
  });

  it('keeps an invoice open if its charge is declined, and takes another card', async () => {
    const declined = await shop.attach(customer, 'pm_card_visa_chargeDeclined');
    const id = await shop.open(customer, 1_900);
    const keyed = { headers: { 'idempotency-key': `pay ${id}` } };
    const pay = () => shop.post(`/invoices/${id}/pay`, { payment_method: declined }, keyed);
    const refused = await pay();
    expect(refused.status).to.equal(402);
    const error = refused.json['error'] as Json;
    expect(error['code']).to.equal('card_declined');
    const again = await pay();
    expect([again.status, again.json]).to.deep.equal([402, refused.json]);
    const after = await shop.read(`/invoices/${id}`);
    expect(after).to.include({ status: 'open', attempt_count: 1, charge: error['charge'] });
    const good = { headers: { 'idempotency-key': `pay again ${id}` } };
    const paid = await shop.post(`/invoices/${id}/pay`, {}, good);
    expect(paid.json).to.include({ status: 'paid', attempt_count: 2 });
    const replayed = await shop.post(`/invoices/${id}/pay`, {}, good);
    expect(replayed.json).to.deep.equal(paid.json);
    const rows = await query(
      shop.databaseUrl,
      'SELECT status FROM paymount.charges WHERE invoice_id = $1 ORDER BY id',
      [id],
    );
    expect(rows).to.deep.equal([{ status: 'failed' }, { status: 'succeeded' }]);
  });

  it('charges once, however many ask at once', async () => {
    const id = await shop.open(customer, 500);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => shop.post(`/invoices/${id}/pay`)),
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
      shop.databaseUrl,
      'SELECT count(*)::int AS charges FROM paymount.charges WHERE invoice_id = $1',
      [id],
    );
    expect(rows).to.deep.equal([{ charges: 1 }]);
  });

  it('gives numbers without gaps, also if a transaction is rolled back', async () => {
    const numberOf = async (id: string) =>
      Number(String((await shop.read(`/invoices/${id}`))['number']).replace('INV-', ''));
    const before = await numberOf(await shop.open(customer, 100));
    const drafts: string[] = [];
    for (let count = 0; count < 10; count += 1) drafts.push(await shop.draft(customer, [100]));
    const [lost = ''] = drafts;
    const changed = new Error('The host changed its mind.');
    const failure = await rejectionCode(
      knex.transaction(async (trx) => {
        const issued = await shop.paymount.using(trx).invoices.finalize(shop.acting, lost);
        expect(issued.status).to.equal('open');
        throw changed;
      }),
    );
    expect(failure).to.equal(changed);
    expect((await shop.read(`/invoices/${lost}`))['status']).to.equal('draft');
    await Promise.all(drafts.map((id) => shop.make(`/invoices/${id}/finalize`)));
    const numbers = await Promise.all(drafts.map(numberOf));
    expect(numbers.toSorted((a, b) => a - b)).to.deep.equal(
      drafts.map((_, index) => before + 1 + index),
    );
  });

  it("pays in a host's transaction once that has committed, and not if it is rolled back", async () => {
    const id = await shop.open(customer, 500);
    await rejectionCode(
      knex.transaction(async (trx) => {
        await shop.paymount.using(trx).invoices.pay(shop.acting, id);
        throw new Error('rolled back');
      }),
    );
    expect(await shop.read(`/invoices/${id}`)).to.include({ status: 'open', charge: null });
    const pending = await knex.transaction((trx) =>
      shop.paymount.using(trx).invoices.pay(shop.acting, id),
    );
    expect(pending).to.include({ status: 'open', attempt_count: 1 });
    await eventually(
      async () => (await shop.read(`/invoices/${id}`))['status'],
      (status) => status === 'paid',
    );
  });

  it('waits for a bank debit, and is neither voided nor charged again meanwhile', async () => {
    customer = await shop.newCustomer();
    const method = await shop.make('/payment_methods', {
      type: 'us_bank_account',
      us_bank_account: { token: 'btok_us' },
      billing_details: { name: 'Ada' },
      mandate_data: { customer_acceptance: { type: 'offline' } },
    });
    await shop.make(`/payment_methods/${String(method['id'])}/attach`, { customer });
    await shop.newItem(customer, 900, { currency: 'usd' });
    const id = String(
      (await shop.make('/invoices', { customer, pending_invoice_items_behavior: 'include' }))['id'],
    );
    const sent = await shop.make(`/invoices/${id}/pay`, { payment_method: method['id'] });
    expect(sent).to.include({ status: 'open', attempt_count: 1, amount_paid: 0 });
    const busy = [409, 'invoice_payment_in_progress', undefined];
    for (const action of ['pay', 'void', 'mark_uncollectible']) {
      expect(await refusal(shop.post(`/invoices/${id}/${action}`)), action).to.deep.equal(busy);
    }
    expect(
      await refusal(shop.post(`/invoices/${id}/pay`, { paid_out_of_band: true })),
    ).to.deep.equal(busy);
    await query(shop.databaseUrl, `UPDATE paymount.sandbox_notices SET due_at = 'epoch'`);
    await shop.worker.drain();
    const paid = await eventually(
      () => shop.read(`/invoices/${id}`),
      ({ status }) => status === 'paid',
    );
    expect(paid).to.include({ charge: sent['charge'], amount_paid: 900 });
  });

  it('lets nobody change what was issued, or pay it twice, past the API', async () => {
    const id = await shop.open(customer, 500);
    await shop.make(`/invoices/${id}/pay`);
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
    const fresh = await shop.draft(customer, [500]);
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
