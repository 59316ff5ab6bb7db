import request from 'supertest';
import type { TestApp } from '../../support/app.ts';

/** A free subscription that renews every day, and one that was canceled. */
export async function healthySubscriptions(
  app: TestApp,
): Promise<Readonly<Record<'renewing' | 'ended', string>>> {
  const post = async (path: string, body: object): Promise<string> => {
    const made = request(app.url).post(`/v1/${path}`).auth(app.secretKey, '');
    return (await made.send(body).expect(200)).body.id;
  };
  const customer = await post('customers', { name: 'Ada' });
  const price = await post('prices', {
    product_data: { name: 'Free tea' },
    currency: 'eur',
    unit_amount: 0,
    recurring: { interval: 'day' },
  });
  const subscribe = () => post('subscriptions', { customer, items: [{ price }] });
  const [renewing, ended] = [await subscribe(), await subscribe()];
  const gone = request(app.url).delete(`/v1/subscriptions/${ended}`).auth(app.secretKey, '');
  await gone.expect(200);
  return { renewing, ended };
}
