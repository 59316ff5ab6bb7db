import { expect } from 'chai';
import createKnex, { type Knex } from 'knex';
import type { HookPayload, HostHook } from 'paymount';
import { query } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { type InvoiceShop, refusal, startInvoiceShop } from '../support/invoice-shop.ts';
import { rejectionCode } from '../support/rejection-code.ts';

describe('The hook of invoices', () => {
  let shop: InvoiceShop;
  let knex: Knex;
  let customer: string;
  let told: HookPayload[] = [];
  let work: HostHook = async () => undefined;
  before(async () => {
    const hook: HostHook = async (trx, settled) => {
      if ('event' in settled && settled.event === 'finalizing') return;
      await work(trx, settled);
      await trx.query('INSERT INTO told VALUES ($1)', [describeCall(settled)]);
      told.push(settled);
    };
    shop = await startInvoiceShop({ paymount: { hook } });
    knex = createKnex({ client: 'pg', connection: shop.databaseUrl, pool: { min: 0, max: 2 } });
    await knex.schema.createTable('told', (table) => table.text('call'));
  });
  after(async () => {
    await knex.destroy();
    await shop.close();
  });
  beforeEach(async () => {
    work = async () => undefined;
    customer = await shop.newCustomer('pm_card_visa');
    told = [];
    await knex('told').delete();
  });

  const rows = async (): Promise<string[]> =>
    (await knex('told').select('call')).map(({ call }) => String(call));
  const refusing = (event: string) => {
    work = async (_, settled) => {
      if (describeCall(settled).startsWith(event)) throw new Error('The shop is closed.');
    };
  };

  it('is called when an invoice is finalized, and when a charge has paid it, after the charge', async () => {
    const id = await shop.draft(customer, [1_900]);
    expect(told).to.deep.equal([]);
    const issued = await shop.make(`/invoices/${id}/finalize`);
    const owner = { account: shop.account, environment: 'test' };
    expect(told).to.deep.equal([
      { kind: 'invoice', event: 'finalized', ...owner, invoice: issued },
    ]);
    const paid = await shop.make(`/invoices/${id}/pay`);
    const charge = String(paid['charge']);
    expect(told.slice(1).map(describeCall)).to.deep.equal([`charge ${charge}`, `paid ${id} paid`]);
    expect(told[2]).to.deep.equal({ kind: 'invoice', event: 'paid', ...owner, invoice: paid });
    expect(await rows()).to.deep.equal(told.map(describeCall));
    await shop.make(`/invoices/${id}`, { metadata: { seen: 'yes' } });
    expect(told).to.have.length(3);
  });

  it('is called for what is paid without a charge, and not for what is voided', async () => {
    const free = await shop.draft(customer, [500, -500]);
    await shop.make(`/invoices/${free}/finalize`);
    const other = await shop.draft(customer, [500]);
    await shop.make(`/invoices/${other}/pay`, { paid_out_of_band: true });
    const voided = await shop.open(customer, 500);
    await shop.make(`/invoices/${voided}/void`);
    expect(told.map(describeCall)).to.deep.equal([
      `finalized ${free} paid`,
      `paid ${free} paid`,
      `finalized ${other} paid`,
      `paid ${other} paid`,
      `finalized ${voided} open`,
    ]);
  });

  it('leaves a draft and its number alone if it throws', async () => {
    const id = await shop.draft(customer, [1_900]);
    const last = async () => query(shop.databaseUrl, 'SELECT last FROM paymount.invoice_numbers');
    const before = await last();
    refusing('finalized');
    const refused = [409, 'hook_refused', undefined];
    expect(await refusal(shop.post(`/invoices/${id}/finalize`))).to.deep.equal(refused);
    expect(await refusal(shop.post(`/invoices/${id}/pay`))).to.deep.equal(refused);
    expect(await shop.read(`/invoices/${id}`)).to.include({ status: 'draft', number: null });
    expect([await last(), await rows()]).to.deep.equal([before, []]);
    refusing('paid');
    const out = shop.post(`/invoices/${id}/pay`, { paid_out_of_band: true });
    expect(await refusal(out)).to.deep.equal(refused);
    expect(await shop.read(`/invoices/${id}`)).to.include({ status: 'draft', number: null });
    expect(await rows()).to.deep.equal([]);
  });

  it('keeps a charge and its invoice waiting together if it throws, and is asked again', async () => {
    const id = await shop.open(customer, 1_900);
    refusing('paid');
    const waiting = await shop.make(`/invoices/${id}/pay`);
    expect(waiting).to.include({ status: 'open', attempt_count: 1 });
    const charge = `/charges/${String(waiting['charge'])}`;
    expect((await shop.read(charge))['status']).to.equal('pending');
    expect(await rows()).to.deep.equal([`finalized ${id} open`]);
    work = async () => undefined;
    await query(shop.databaseUrl, `UPDATE paymount.operations SET next_lookup_at = 'epoch'`);
    await shop.worker.drain();
    const paid = await eventually(
      () => shop.read(`/invoices/${id}`),
      ({ status }) => status === 'paid',
    );
    expect((await shop.read(charge))['status']).to.equal('succeeded');
    expect(await rows()).to.deep.equal([
      `finalized ${id} open`,
      `charge ${String(paid['charge'])}`,
      `paid ${id} paid`,
    ]);
  });

  it("is called in a host's transaction, and undone with it", async () => {
    const id = await shop.draft(customer, [1_900]);
    const failure = new Error('rolled back');
    const thrown = await rejectionCode(
      knex.transaction(async (trx) => {
        await shop.paymount.using(trx).invoices.finalize(shop.acting, id);
        expect(told.map(describeCall)).to.deep.equal([`finalized ${id} open`]);
        throw failure;
      }),
    );
    expect(thrown).to.equal(failure);
    expect(await rows()).to.deep.equal([]);
  });
});

function describeCall(settled: HookPayload): string {
  switch (settled.kind) {
    case 'invoice':
      return `${settled.event} ${settled.invoice.id} ${settled.invoice.status}`;
    case 'charge':
      return `charge ${settled.charge.id}`;
    case 'refund':
    case 'dispute':
    case 'payout':
    case 'subscription':
      return settled.kind;
  }
}
