import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import type { AccountId } from 'paymount';
import { settleOrder } from '../../example-host/src/orders.ts';
import { eventually } from '../support/eventually.ts';
import { type OpenShop, openShop } from '../support/open-shop.ts';

interface Received {
  readonly id: string;
  readonly type: string;
  readonly body: {
    readonly livemode: boolean;
    readonly data: { readonly object: { status: string } };
  };
}

describe('a shop that mounts Paymount', () => {
  let shop: OpenShop;

  before(async () => {
    shop = await openShop();
  });

  after(() => shop.close());

  const received = (charge: string, type: string): Promise<Received> =>
    eventually(() =>
      shop
        .database<Received>('shop.received_events')
        .where({ type })
        .whereRaw("body #>> '{data,object,id}' = ?", [charge])
        .first(),
    );

  const deliver = (body: string, secret: string): Promise<Response> => {
    const t = Math.floor(Date.now() / 1000);
    const v1 = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
    return fetch(`${shop.url}/webhooks`, {
      method: 'POST',
      headers: { 'service-signature': `t=${t},v1=${v1}` },
      body,
    });
  };

  const call = (path: string, key: string, fields?: Record<string, string>): Promise<Response> =>
    fetch(shop.url + path, {
      headers: { authorization: `Bearer ${key}` },
      ...(fields && { method: 'POST', body: new URLSearchParams(fields) }),
    });

  it('shows an order as pending, and as paid once its charge has succeeded', async () => {
    const placed = await shop.order('pm_card_visa');
    expect(placed).to.include({ item: 'teapot', amount: 4200, currency: 'eur', status: 'pending' });
    expect(await shop.settled(placed.id)).to.deep.equal({ ...placed, status: 'paid' });
    const key = await shop.key('test', 'secret');
    const response = await call(`/payments/test/v1/charges/${placed.charge}`, key);
    expect(await response.json()).to.deep.include({
      status: 'succeeded',
      amount: 4200,
      metadata: { order: placed.id },
    });
  });

  it('gets the signed event of the charge, and stores it', async () => {
    const { charge } = await shop.order('pm_card_visa');
    const event = await received(charge, 'charge.succeeded');
    expect(event.body.livemode).to.equal(false);
    expect(event.body.data.object.status).to.equal('succeeded');
  });

  it('fails an order with its charge when the card is declined', async () => {
    const placed = await shop.order('pm_card_visa_chargeDeclined');
    expect(await shop.settled(placed.id)).to.deep.equal({ ...placed, status: 'failed' });
    const event = await received(placed.charge, 'charge.failed');
    expect(event.body.data.object.status).to.equal('failed');
  });

  it('refuses an order for a card that does not exist, and writes nothing', async () => {
    const count = async (): Promise<unknown> =>
      (await shop.database('shop.orders').count().first())?.['count'];
    const before = await count();
    const error = await shop.order('pm_card_unheard_of').catch(String);
    expect(error).to.include('pm_card_unheard_of');
    expect(await count()).to.equal(before);
  });

  it('keeps neither an order nor a charge of a transaction that is rolled back', async () => {
    let charge = '';
    const error = await shop.database
      .transaction(async (trx) => {
        const acting = shop.paymount.using(trx);
        const fields = { amount: 100, currency: 'eur', payment_method: 'pm_card_visa' };
        ({ id: charge } = await acting.charges.create(shop.merchant, fields));
        throw new Error('The customer changed their mind.');
      })
      .catch(String);
    expect(error).to.equal('Error: The customer changed their mind.');
    const lost = await shop.paymount.charges.retrieve(shop.merchant, charge).catch(String);
    expect(lost).to.include('No such charge');
  });

  it('never shows an order that disagrees with its charge', async () => {
    const cards = ['pm_card_visa', 'pm_card_visa_chargeDeclined'];
    let open = true;
    const disagreements: unknown[] = [];
    const watch = async (): Promise<number> => {
      let looks = 0;
      for (; open; looks += 1) {
        const { rows } = await shop.database.raw(
          `SELECT o.id, o.status, c.status AS charge FROM shop.orders o
             LEFT JOIN paymount.charges c ON c.id = o.charge
            WHERE (o.status, c.status) NOT IN
              (('pending', 'pending'), ('paid', 'succeeded'), ('failed', 'failed'))`,
        );
        disagreements.push(...rows);
      }
      return looks;
    };
    const watching = watch();
    // It is awaited last; a failure of its own would else end the process before that.
    watching.catch(() => undefined);
    const placed = await Promise.all(
      Array.from({ length: 20 }, (_, index) => shop.order(cards[index % 2] ?? '')),
    );
    await Promise.all(placed.map(({ id }) => shop.settled(id)));
    open = false;
    expect(await watching).to.be.greaterThan(5);
    expect(disagreements).to.deep.equal([]);
  });

  it('gives the money of an order back, and says so in the same commit', async () => {
    const { id, charge } = await shop.order('pm_card_visa');
    await shop.settled(id);
    const refund = await shop.paymount.refunds.create(shop.merchant, { charge });
    expect(refund.status).to.equal('succeeded');
    expect((await shop.settled(id)).status).to.equal('refunded');
    await received(charge, 'charge.refunded');
  });

  it('shows a refunded order as refunded when its charge is disputed all the same', async () => {
    const { paymount, merchant } = shop;
    const account = merchant.account as AccountId;
    const disputed = await shop.order('pm_card_createDispute');
    const dispute = await eventually(async () => {
      const { data } = await paymount.disputes.list(merchant, { charge: disputed.charge });
      return data[0];
    });
    expect((await shop.settled(disputed.id)).status).to.equal('paid');
    const { id, charge } = await shop.order('pm_card_visa');
    await shop.settled(id);
    await paymount.refunds.create(merchant, { charge });
    const refunded = await paymount.charges.retrieve(merchant, charge);
    await shop.database.transaction((trx) =>
      settleOrder(trx, { ...merchant, account, kind: 'dispute', dispute, charge: refunded }),
    );
    expect((await shop.settled(id)).status).to.equal('refunded');
  });

  it('stores an event once, however often it is delivered', async () => {
    const { charge } = await shop.order('pm_card_visa');
    const { id, body } = await received(charge, 'charge.succeeded');
    const answers = await Promise.all(
      [1, 2, 3].map(() => deliver(JSON.stringify(body), shop.webhookSecret)),
    );
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    expect(await shop.database('shop.received_events').where({ id })).to.have.length(1);
  });

  it('answers 400 to a forged delivery, and stores nothing', async () => {
    const { charge } = await shop.order('pm_card_visa');
    const { body } = await received(charge, 'charge.succeeded');
    const forged = JSON.stringify({ ...body, id: 'evt_forged' });
    const response = await deliver(forged, `whsec_${Buffer.alloc(32).toString('base64')}`);
    expect(response.status).to.equal(400);
    expect(await shop.database('shop.received_events').where({ id: 'evt_forged' })).to.have.length(
      0,
    );
  });

  it('charges in live through its own bank, and takes no test key there', async () => {
    const live = '/payments/live/v1';
    const card = { type: 'card', 'card[token]': 'house_visa' };
    const publishable = await shop.key('live', 'publishable');
    const made = await call(`${live}/payment_methods`, publishable, card);
    const method = (await made.json()) as { id: string };
    const charged = await call(`${live}/charges`, await shop.key('live', 'secret'), {
      amount: '4200',
      currency: 'eur',
      payment_method: method.id,
    });
    expect(await charged.json()).to.include({ livemode: true, status: 'succeeded' });
    const refused = await call(`${live}/charges`, await shop.key('test', 'secret'));
    expect(refused.status).to.equal(401);
  });
});
