import { json, Router } from 'express';
import type { Knex } from 'knex';
import { type Acting, type Paymount, PaymountError } from 'paymount';
import { findMembership, hasAccess, type Membership, sellMembership } from './memberships.ts';
import { readFields } from './read-fields.ts';

/** `POST /` joins the tea club (`shopper`, `payment_method`), `GET /:shopper` shows the state. */
export function membershipRoutes(shop: {
  readonly database: Knex;
  readonly paymount: Paymount;
  readonly merchant: Acting;
}): Router {
  const router = Router();
  router.use(json());

  router.post('/', async (request, response) => {
    const { shopper, payment_method: paymentMethod } = readFields(request);
    if (typeof shopper !== 'string' || typeof paymentMethod !== 'string') {
      response.status(400).json({ error: 'Send shopper and payment_method.' });
      return;
    }
    try {
      const membership = await sellMembership(shop, { shopper, paymentMethod });
      // The card is being charged. Access begins with the event of the subscription.
      response.status(202).json(shown(membership));
    } catch (error) {
      if (!PaymountError.is(error)) throw error;
      response.status(400).json({ error: error.message });
    }
  });

  router.get('/:shopper', async (request, response) => {
    const membership = await findMembership(shop.database, request.params.shopper);
    if (membership === undefined) response.status(404).json({ error: 'There is no such member.' });
    else response.json(shown(membership));
  });
  return router;
}

function shown(membership: Membership): Membership & { readonly has_access: boolean } {
  return { ...membership, has_access: hasAccess(membership) };
}
