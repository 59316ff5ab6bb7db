import { expect } from 'chai';
import { query } from '../support/database.ts';
import { ofToday } from '../support/depth.ts';
import { type InvoiceShop, type Json, startInvoiceShop } from '../support/invoice-shop.ts';

/** Calls at once, half of each verb. */
const RACERS = 20;

/** What the calls are about. */
interface Raced {
  readonly invoice: string;
  readonly item: string;
  readonly customer: string;
  readonly method: string;
}

type Send = (shop: InvoiceShop, raced: Raced, index: number) => ReturnType<InvoiceShop['post']>;

const VERBS: Readonly<Record<string, Send>> = {
  finalize: (shop, { invoice }) => shop.post(`/invoices/${invoice}/finalize`),
  pay: (shop, { invoice }) => shop.post(`/invoices/${invoice}/pay`),
  'pay out of band': (shop, { invoice }) =>
    shop.post(`/invoices/${invoice}/pay`, { paid_out_of_band: true }),
  void: (shop, { invoice }) => shop.post(`/invoices/${invoice}/void`),
  'mark as uncollectible': (shop, { invoice }) =>
    shop.post(`/invoices/${invoice}/mark_uncollectible`),
  'delete the draft': (shop, { invoice }) => shop.remove(`/invoices/${invoice}`),
  'update the item': (shop, { item }, index) =>
    shop.post(`/invoiceitems/${item}`, { amount: 100 + index }),
  'delete the item': (shop, { item }) => shop.remove(`/invoiceitems/${item}`),
  'detach the payment method': (shop, { method }) => shop.post(`/payment_methods/${method}/detach`),
  'delete the customer': (shop, { customer }) => shop.remove(`/customers/${customer}`),
};

/** They need an issued invoice. */
const OF_ISSUED = new Set(['void', 'mark as uncollectible']);

/** What one of two calls at once may be answered. */
const REFUSALS = new Set([
  'invoice_not_draft',
  'status_transition_invalid',
  'invoice_payment_in_progress',
  'invoice_customer_deleted',
  'resource_missing',
  'payment_method_missing',
  'payment_method_unattached',
  'payment_method_unusable',
  'lock_timeout',
]);

const NAMES = Object.keys(VERBS);
const PAIRS = NAMES.flatMap((one, index) =>
  NAMES.slice(index).map((other) => [one, other] as const),
);

/** The daily run takes a seventh of the pairs. */
describe('Invoices under calls at once', function () {
  this.timeout(120_000);
  let shop: InvoiceShop;
  before(async () => {
    shop = await startInvoiceShop();
  });
  after(() => shop.close());

  async function newRaced(isIssued: boolean): Promise<Raced> {
    const customer = await shop.newCustomer();
    const method = await shop.attach(customer, 'pm_card_visa');
    const settings = { invoice_settings: { default_payment_method: method } };
    await shop.make(`/customers/${customer}`, settings);
    const item = String((await shop.newItem(customer, 500))['id']);
    const invoice = await shop.draft(customer, [200]);
    if (isIssued) await shop.make(`/invoices/${invoice}/finalize`);
    return { invoice, item, customer, method };
  }

  async function expectAgreement({ invoice }: Raced, what: string): Promise<void> {
    const charges = await query<{ status: string; amount: number }>(
      shop.databaseUrl,
      `SELECT status, amount::integer FROM paymount.charges
        WHERE invoice_id = $1 AND status IN ('pending', 'authorized', 'succeeded')`,
      [invoice],
    );
    const { status, json } = await shop.get(`/invoices/${invoice}`);
    if (status === 404) return expect(charges, what).to.deep.equal([]) && undefined;
    const lines = (json['lines'] as { data: Json[] }).data;
    const sum = lines.reduce((total, line) => total + Number(line['amount']), 0);
    expect(json['total'], what).to.equal(sum);
    const isCharged = json['status'] === 'paid' && !json['paid_out_of_band'] && sum > 0;
    expect(charges, what).to.deep.equal(isCharged ? [{ status: 'succeeded', amount: sum }] : []);
  }

  it('charge once, sum to their lines, and answer each call', async () => {
    for (const [one, other] of ofToday(PAIRS, 0)) {
      const raced = await newRaced(OF_ISSUED.has(one) || OF_ISSUED.has(other));
      const answers = await Promise.all(
        Array.from({ length: RACERS }, (_, index) =>
          VERBS[index % 2 === 0 ? one : other]?.(shop, raced, index),
        ),
      );
      const what = `${one}, ${other}`;
      for (const answer of answers) {
        if (answer === undefined || answer.status === 200) continue;
        expect(answer.status, `${what}: ${answer.text}`).to.be.below(500);
        expect(REFUSALS, `${what}: ${answer.text}`).to.include(answer.error['code']);
      }
      await expectAgreement(raced, what);
    }
    expect(await shop.paymount.verify()).to.deep.equal([]);
  });
});
