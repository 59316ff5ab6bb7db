import request from 'supertest';
import type { TestApp } from '../../support/app.ts';

/**
 * A free subscription that renews every day, one that was canceled, and one that was changed twice in a second: what
 * the first change costs waited for the invoice of the second one.
 */
export async function healthySubscriptions(
  app: TestApp,
): Promise<Readonly<Record<'renewing' | 'ended' | 'changed', string>>> {
  const ask = async (path: string, body: object = {}) => {
    const made = request(app.url).post(`/v1/${path}`).auth(app.secretKey, '');
    return (await made.send(body).expect(200)).body;
  };
  const post = async (path: string, body: object): Promise<string> => (await ask(path, body)).id;
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
  return { renewing, ended, changed: await changedSubscription(ask, customer) };
}

async function changedSubscription(
  ask: (
    path: string,
    body?: object,
  ) => Promise<{
    readonly id: string;
    readonly latest_invoice: string;
    readonly items: { readonly data: readonly { readonly id: string }[] };
  }>,
  customer: string,
): Promise<string> {
  const { id: price } = await ask('prices', {
    product_data: { name: 'Tea' },
    currency: 'eur',
    unit_amount: 1_000,
    recurring: { interval: 'month' },
  });
  const sent = { collection_method: 'send_invoice', days_until_due: 30 };
  const { id, items, latest_invoice } = await ask('subscriptions', {
    customer,
    items: [{ price, quantity: 2 }],
    ...sent,
  });
  await ask(`invoices/${latest_invoice}/pay`, { paid_out_of_band: true });
  const change = (quantity: number, proration_behavior: string) =>
    ask(`subscriptions/${id}`, {
      items: [{ id: items.data[0]?.id, quantity }],
      proration_behavior,
    });
  await change(10, 'create_prorations');
  await change(1, 'always_invoice');
  return id;
}
