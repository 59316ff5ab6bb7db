import request from 'supertest';
import type { TestApp } from '../../support/app.ts';

/** A customer with invoices in each state, and an invoice item that waits. */
export async function healthyInvoices(
  app: TestApp,
): Promise<Readonly<Record<'billed' | 'unpaid' | 'waitingItem', string>>> {
  const post = async (path: string, body: object = {}): Promise<string> => {
    const asked = request(app.url).post(`/v1/${path}`).auth(app.secretKey, '').send(body);
    const { body: made } = await asked.expect(200);
    return made.id;
  };
  const customer = await post('customers', {
    payment_method: 'pm_card_visa',
    invoice_settings: { default_payment_method: 'pm_card_visa' },
  });
  const item = (amount: number) =>
    post('invoiceitems', { customer, amount, currency: 'eur', description: 'Tea' });
  const draft = async (amount: number): Promise<string> => {
    await item(amount);
    return post('invoices', { customer, pending_invoice_items_behavior: 'include' });
  };
  const open = async (amount: number): Promise<string> =>
    post(`invoices/${await draft(amount)}/finalize`);
  const billed = await post(`invoices/${await open(1_900)}/pay`);
  await post(`invoices/${await open(800)}/pay`, { paid_out_of_band: true });
  await open(0);
  await post(`invoices/${await open(900)}/void`);
  await post(`invoices/${await open(950)}/mark_uncollectible`);
  await draft(300);
  const gone = await draft(400);
  await request(app.url).delete(`/v1/invoices/${gone}`).auth(app.secretKey, '').expect(200);
  await post('invoices', { customer, pending_invoice_items_behavior: 'include' });
  const unpaid = await open(1_000);
  return { billed, unpaid, waitingItem: await item(500) };
}
