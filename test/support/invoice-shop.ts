import { expect } from 'chai';
import { startApp, type TestApp } from './app.ts';
import { type Ask, ask, JSON_TYPE, postJson, type Reply } from './ask.ts';
import { fakeClock } from './clock.ts';

export type Json = Readonly<Record<string, unknown>>;

/** The time at which invoices are made in tests. */
export const INVOICED_AT = '2026-11-21T12:00:00.000Z';

/** A merchant who bills customers. Paths are below `/v1`. */
export interface InvoiceShop extends TestApp {
  post(path: string, body?: object, more?: Ask): Promise<Reply>;
  get(path: string): Promise<Reply>;
  remove(path: string): Promise<Reply>;
  /** Expects the status 200. */
  make(path: string, body?: object): Promise<Json>;
  read(path: string): Promise<Json>;
  /** The objects of a list. */
  list(path: string): Promise<readonly Json[]>;
  /** Attaches a test card. @returns its id */
  attach(customer: string, card: string): Promise<string>;
  /** A customer, with a default card if one is named. @returns its id */
  newCustomer(card?: string): Promise<string>;
  newItem(customer: string, amount: number, more?: object): Promise<Json>;
  /** A draft with an item of each amount, in euro. @returns its id */
  draft(customer: string, amounts: readonly number[], more?: object): Promise<string>;
  /** A finalized invoice. @returns its id */
  open(customer: string, amount: number): Promise<string>;
}

/** Starts a host with the sandbox; `close()` it in `after`. */
export async function startInvoiceShop(
  options: NonNullable<Parameters<typeof startApp>[0]> = {},
): Promise<InvoiceShop> {
  const clock = fakeClock(INVOICED_AT);
  const app = await startApp({ ...options, paymount: { clock, ...options.paymount } });
  const url = (path: string) => `${app.url}/v1${path}`;
  const key = app.secretKey;
  const shop: InvoiceShop = {
    ...app,
    post: (path, body = {}, more = {}) => postJson(url(path), body, { key, ...more }),
    get: (path) => ask(url(path), { key }),
    remove: (path) => ask(url(path), { key, method: 'DELETE', headers: JSON_TYPE }),
    async make(path, body) {
      const { status, json, text } = await shop.post(path, body);
      expect(status, text).to.equal(200);
      return json;
    },
    read: async (path) => (await shop.get(path)).json,
    list: async (path) => (await shop.read(path))['data'] as Json[],
    async attach(customer, card) {
      const method = await shop.make(`/payment_methods/${card}/attach`, { customer });
      return String(method['id']);
    },
    async newCustomer(card) {
      const { id } = await shop.make('/customers', { name: 'Ada', email: 'ada@example.com' });
      const customer = String(id);
      if (card === undefined) return customer;
      const method = await shop.attach(customer, card);
      const settings = { invoice_settings: { default_payment_method: method } };
      await shop.make(`/customers/${customer}`, settings);
      return customer;
    },
    newItem: (customer, amount, more = {}) =>
      shop.make('/invoiceitems', {
        customer,
        amount,
        currency: 'eur',
        description: 'Tea',
        ...more,
      }),
    async draft(customer, amounts, more = {}) {
      for (const amount of amounts) await shop.newItem(customer, amount);
      const included = { customer, pending_invoice_items_behavior: 'include', currency: 'eur' };
      return String((await shop.make('/invoices', { ...included, ...more }))['id']);
    },
    async open(customer, amount) {
      const id = await shop.draft(customer, [amount]);
      await shop.make(`/invoices/${id}/finalize`);
      return id;
    },
  };
  return shop;
}

/** The status, code and parameter of a refusal. */
export async function refusal(reply: Promise<Reply>): Promise<readonly unknown[]> {
  const { status, json, text } = await reply;
  expect(status, text).to.be.greaterThan(399);
  const { code, param } = json['error'] as { code: string; param?: string };
  return [status, code, param];
}
