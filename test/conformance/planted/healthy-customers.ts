import request from 'supertest';
import type { TestApp } from '../../support/app.ts';

/**
 * A customer with a charge, another one with a payment method and a balance in two currencies, a
 * deleted one whose payment method was detached, and a bank debit that awaits clearing.
 */
export async function healthyCustomers(
  app: TestApp,
): Promise<Readonly<Record<'buyer' | 'bought' | 'stranger' | 'gone' | 'debit' | 'move', string>>> {
  const post = async (path: string, body: object): Promise<string> => {
    const { body: made } = await request(app.url)
      .post(`/v1/${path}`)
      .auth(app.secretKey, '')
      .send(body)
      .expect(200);
    return made.id;
  };
  const customer = (): Promise<string> =>
    post('customers', {
      payment_method: 'pm_card_visa',
      invoice_settings: { default_payment_method: 'pm_card_visa' },
    });
  const [buyer, stranger, gone] = [await customer(), await customer(), await customer()];
  await request(app.url).delete(`/v1/customers/${gone}`).auth(app.secretKey, '').expect(200);
  const eur = { amount: 10_000, currency: 'eur' };
  const bought = await post('charges', { ...eur, customer: buyer });
  const balance = `customers/${stranger}/balance_transactions`;
  await post(balance, { amount: -500, currency: 'eur' });
  const move = await post(balance, { amount: 200, currency: 'eur' });
  await post(balance, { amount: 7, currency: 'jpy' });
  const usd = { amount: 2_000, currency: 'usd' };
  const debit = await post('charges', { ...usd, payment_method: 'pm_usBankAccount' });
  return { buyer, bought, stranger, gone, debit, move };
}
