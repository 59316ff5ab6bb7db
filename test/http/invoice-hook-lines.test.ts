import { expect } from 'chai';
import createKnex, { type Knex } from 'knex';
import type { HostHook } from 'paymount';
import { fakeClock } from '../support/clock.ts';
import { query } from '../support/database.ts';
import {
  INVOICED_AT,
  type InvoiceShop,
  type Json,
  refusal,
  startInvoiceShop,
} from '../support/invoice-shop.ts';
import { keptLog } from '../support/kept-log.ts';

const DAY = 86_400_000;
const TEN_MINUTES = 600_000;
const TAX = { amount: 361, currency: 'eur', description: 'VAT 19 %' };

describe('Lines that the hook adds to an invoice before it gets its number', () => {
  const clock = fakeClock(INVOICED_AT);
  const log = keptLog();
  let shop: InvoiceShop;
  let knex: Knex;
  let customer: string;
  let answer: (trx: Parameters<HostHook>[0], invoice: Json) => Promise<unknown> | unknown;
  let asked: Json[] = [];
  before(async () => {
    const hook: HostHook = async (trx, settled) => {
      if (settled.kind !== 'invoice' || settled.event !== 'finalizing') return;
      asked.push(settled.invoice);
      // A host in JavaScript may return anything.
      return (await answer(trx, settled.invoice)) as { lines: [] };
    };
    shop = await startInvoiceShop({ paymount: { hook, clock, logger: log } });
    knex = createKnex({ client: 'pg', connection: shop.databaseUrl, pool: { min: 0, max: 2 } });
    await knex.schema.createTable('used', (table) => table.text('invoice'));
  });
  after(async () => {
    await knex.destroy();
    await shop.close();
  });
  beforeEach(async () => {
    answer = () => ({ lines: [TAX] });
    asked = [];
    customer = await shop.newCustomer('pm_card_visa');
    await knex('used').delete();
  });

  const linesOf = (invoice: Json) =>
    (invoice['lines'] as { data: Json[] }).data.map((line) => [
      line['amount'],
      line['description'],
    ]);
  const used = async () => (await knex('used').select('invoice')).map(({ invoice }) => invoice);
  const subscribe = async (more: object = {}): Promise<Json> => {
    const { id: product } = await shop.make('/products', { name: 'Tea' });
    const recurring = { interval: 'month' };
    const price_data = { currency: 'eur', unit_amount: 1_900, recurring, product };
    return shop.make('/subscriptions', { customer, items: [{ price_data }], ...more });
  };
  const invoicesOf = ({ id }: Json) => shop.list(`/invoices?subscription=${String(id)}`);

  it('are added to what the merchant billed, and are charged', async () => {
    const id = await shop.draft(customer, [1_900]);
    const issued = await shop.make(`/invoices/${id}/finalize`);
    expect(linesOf(issued)).to.deep.equal([
      [1_900, 'Tea'],
      [361, 'VAT 19 %'],
    ]);
    expect(issued).to.include({ total: 2_261, amount_due: 2_261, status: 'open' });
    expect(asked).to.have.length(1);
    expect(asked[0]).to.include({ id, status: 'draft', number: null, total: 1_900 });
    expect(await shop.make(`/invoices/${id}/pay`)).to.include({
      status: 'paid',
      amount_paid: 2_261,
    });
    expect(asked).to.have.length(1);
    const items = await shop.list(`/invoiceitems?invoice=${id}`);
    expect(items.map(({ amount }) => amount)).to.have.members([1_900, 361]);
  });

  it('are added to each invoice of a subscription, by usage that is billed once', async () => {
    answer = async (trx, invoice) => {
      await trx.query('INSERT INTO used VALUES ($1)', [invoice['id']]);
      const period = { start: new Date(INVOICED_AT), end: new Date(INVOICED_AT) };
      return {
        lines: [
          { ...TAX, amount: 250, description: '5 calls', period, metadata: { meter: 'calls' } },
        ],
      };
    };
    const made = await subscribe();
    clock.advance(31 * DAY);
    await shop.worker.drain();
    const invoices = await invoicesOf(made);
    expect(invoices.map(({ status, total }) => [status, total])).to.deep.equal([
      ['paid', 2_150],
      ['paid', 2_150],
    ]);
    expect(await used()).to.have.members(invoices.map(({ id }) => id));
    const [renewal] = invoices as readonly { lines: { data: Json[] } }[] & readonly Json[];
    expect(renewal?.lines.data.at(-1)?.['period']).to.deep.equal({
      start: INVOICED_AT,
      end: INVOICED_AT,
    });
  });

  it('are shown by a preview, of which nothing is kept', async () => {
    answer = async (trx, invoice) => {
      await trx.query('INSERT INTO used VALUES ($1)', [invoice['id']]);
      return { lines: [TAX] };
    };
    const made = await subscribe();
    const before = await used();
    const preview = await shop.make('/invoices/create_preview', { subscription: made['id'] });
    expect(preview).to.include({ total: 2_261 });
    expect(await used()).to.deep.equal(before);
    clock.advance(31 * DAY);
    await shop.worker.drain();
    const [renewal] = await invoicesOf(made);
    expect(renewal?.['total']).to.equal(preview['total']);
    expect(linesOf(renewal as Json)).to.deep.equal(linesOf(preview));
  });

  it('may be none, or give a discount that makes the invoice free', async () => {
    answer = () => undefined;
    const plain = await shop.open(customer, 500);
    expect((await shop.read(`/invoices/${plain}`))['total']).to.equal(500);
    answer = () => ({});
    await shop.open(customer, 500);
    answer = () => ({ lines: [{ ...TAX, amount: -1_900, description: 'Free month' }] });
    const made = await subscribe();
    expect(made['status']).to.equal('active');
    const [first] = await invoicesOf(made);
    expect(first).to.include({ status: 'paid', total: 0, charge: null });
  });

  it('are not asked for where nobody has to pay, because it becomes void at once', async () => {
    const made = await subscribe();
    await shop.make(`/subscriptions/${String(made['id'])}`, {
      pause_collection: { behavior: 'void' },
    });
    asked = [];
    clock.advance(31 * DAY);
    await shop.worker.drain();
    const [renewal] = await invoicesOf(made);
    expect(renewal).to.include({ status: 'void', total: 1_900 });
    expect(asked.filter(({ subscription }) => subscription === made['id'])).to.deep.equal([]);
  });

  const wrong: Readonly<Record<string, readonly [returned: unknown, message: string]>> = {
    'of another currency': [
      { lines: [{ ...TAX, currency: 'usd' }] },
      'lines[0].currency is usd, and the invoice is in eur',
    ],
    'with a part of a cent': [{ lines: [{ ...TAX, amount: 0.5 }] }, 'lines[0].amount is not valid'],
    'without a description': [
      { lines: [{ ...TAX, description: ' ' }] },
      'lines[0].description is not valid',
    ],
    'of two lines of text': [
      { lines: [{ ...TAX, description: 'a\nb' }] },
      'lines[0].description is not one line of text',
    ],
    'with a field that nobody knows': [
      { lines: [TAX, { ...TAX, tax: 1 }] },
      'lines[1] is not valid',
    ],
    'as an array': [[TAX], 'what it returned is not valid'],
    'of too much': [
      { lines: [{ ...TAX, amount: 99_999_999 }] },
      'the invoice is more than 99,999,999 minor units',
    ],
  };
  for (const [what, [returned, message]] of Object.entries(wrong)) {
    it(`leave the draft and its number alone if they are ${what}`, async () => {
      answer = () => returned;
      const id = await shop.draft(customer, [1_900]);
      expect(await refusal(shop.post(`/invoices/${id}/finalize`))).to.deep.equal([
        409,
        'hook_refused',
        undefined,
      ]);
      expect(await shop.read(`/invoices/${id}`)).to.include({
        status: 'draft',
        number: null,
        total: 1_900,
      });
      expect(log.lines.filter(({ level }) => level === 'error').at(-1)?.text).to.include(message);
    });
  }

  it('leave a renewal due if they are wrong, and say so until it is billed', async () => {
    const made = await subscribe();
    answer = () => ({ lines: [{ ...TAX, currency: 'usd' }] });
    clock.advance(31 * DAY);
    await shop.worker.drain();
    const [row] = await query<{ failing: { since: string; message: string } }>(
      shop.databaseUrl,
      `SELECT failing FROM paymount.subscriptions WHERE id = '${String(made['id'])}'`,
    );
    expect(row?.failing.message).to.match(
      /^The hook refused the result of sub_\w+: TypeError: lines\[0\]\.currency is usd, and the invoice is in eur/,
    );
    expect(await invoicesOf(made)).to.have.length(1);
    answer = () => ({ lines: [TAX] });
    clock.advance(TEN_MINUTES + 1_000);
    await shop.worker.drain();
    expect((await invoicesOf(made)).map(({ total }) => total)).to.deep.equal([2_261, 2_261]);
    const after = await query(
      shop.databaseUrl,
      `SELECT failing FROM paymount.subscriptions WHERE id = '${String(made['id'])}'`,
    );
    expect(after).to.deep.equal([{ failing: null }]);
  });
});
