import { json, Router } from 'express';
import type { Knex } from 'knex';
import { type Acting, type Paymount, PaymountError } from 'paymount';
import { findOrder, isItem, placeOrder } from './orders.ts';
import { readFields } from './read-fields.ts';

/** `POST /` places an order (`item`, `payment_method`), `GET /:id` shows one. */
export function orderRoutes(shop: {
  readonly database: Knex;
  readonly paymount: Paymount;
  readonly merchant: Acting;
}): Router {
  const router = Router();
  router.use(json());

  router.post('/', async (request, response) => {
    const { item, payment_method: paymentMethod } = readFields(request);
    if (!isItem(item) || typeof paymentMethod !== 'string') {
      response.status(400).json({ error: 'Send item (mug or teapot) and payment_method.' });
      return;
    }
    try {
      const order = await placeOrder(shop, { item, paymentMethod });
      // The card is being charged. The order is `pending` until its charge is settled.
      response.status(202).location(`${request.baseUrl}/${order.id}`).json(order);
    } catch (error) {
      if (!PaymountError.is(error)) throw error;
      response.status(400).json({ error: error.message });
    }
  });

  router.get('/:id', async (request, response) => {
    const order = await findOrder(shop.database, request.params.id);
    if (order === undefined) response.status(404).json({ error: 'There is no such order.' });
    else response.json(order);
  });
  return router;
}
