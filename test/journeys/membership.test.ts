import { expect } from 'chai';
import type { WebhookEvent } from 'paymount/receiver';
import { followSubscription } from '../../example-host/src/memberships.ts';
import { eventually } from '../support/eventually.ts';
import { type OpenShop, openShop } from '../support/open-shop.ts';

interface Shown {
  readonly subscription: string;
  readonly status: string;
  readonly has_access: boolean;
  readonly paid_until: string;
}

describe('a shop that sells a plan', () => {
  let shop: OpenShop;

  before(async () => {
    shop = await openShop();
  });
  after(() => shop.close());

  const join = async (shopper: string, paymentMethod: string): Promise<Response> =>
    fetch(`${shop.url}/memberships`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ shopper, payment_method: paymentMethod }),
    });
  const shown = (shopper: string, status: string): Promise<Shown> =>
    eventually(async () => {
      await shop.worker.drain();
      const response = await fetch(`${shop.url}/memberships/${shopper}`);
      const found = (await response.json()) as Shown;
      return found.status === status ? found : undefined;
    });

  it('gives access when the card was charged, and ends it when the subscription is canceled', async () => {
    const joined = await join('ada', 'pm_card_visa');
    expect(joined.status).to.equal(202);
    expect(await joined.json()).to.include({ status: 'incomplete', has_access: false });
    const { subscription, has_access } = await shown('ada', 'active');
    expect(has_access).to.equal(true);
    await shop.paymount.subscriptions.cancel(shop.merchant, subscription);
    expect(await shown('ada', 'canceled')).to.include({ subscription, has_access: false });
  });

  it('keeps the newest state, in whatever order events arrive', async () => {
    await join('bob', 'pm_card_visa');
    const { subscription } = await shown('bob', 'active');
    await shop.paymount.subscriptions.cancel(shop.merchant, subscription);
    await shown('bob', 'canceled');
    // The older event arrives again, as if it had been late.
    const late = await shop
      .database<{ type: string; body: WebhookEvent }>('shop.received_events')
      .where({ type: 'subscription.created' })
      .whereRaw("body #>> '{data,object,id}' = ?", [subscription])
      .first();
    if (late === undefined) throw new Error('The shop did not get the event.');
    await shop.database.transaction((trx) => followSubscription(trx, late.body));
    expect(await shown('bob', 'canceled')).to.include({ has_access: false });
  });

  it('says no to a card that is declined, and to a body without a shopper', async () => {
    const joined = await join('eve', 'pm_card_visa_chargeDeclined');
    expect(joined.status).to.equal(202);
    await shop.worker.drain();
    const eve = await fetch(`${shop.url}/memberships/eve`);
    expect(await eve.json()).to.include({ status: 'incomplete', has_access: false });
    const empty = await fetch(`${shop.url}/memberships`, { method: 'POST' });
    expect(empty.status).to.equal(400);
    expect((await fetch(`${shop.url}/memberships/nobody`)).status).to.equal(404);
  });
});
