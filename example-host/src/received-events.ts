import type { Knex } from 'knex';
import { type EventStore, onceById, type ReceiverHandler, receiver } from 'paymount/receiver';
import { followSubscription } from './memberships.ts';

/**
 * The shop's webhook address: verifies a delivery, stores its event once, and answers 200. Events of
 * subscriptions change a membership in the same transaction. Nothing more happens for charges, because the hook
 * has already settled the order. An e-mail to the customer would be sent from the stored events, after the
 * response.
 * @param secrets of the endpoints that point here
 */
export function receiveEvents(database: Knex, secrets: readonly string[]): ReceiverHandler {
  const store: EventStore<Knex.Transaction> = {
    transaction: (work) => database.transaction(work),
    insertIfAbsent: async (trx, event) => {
      const inserted = await trx('shop.received_events')
        .insert({ id: event.id, type: event.type, body: JSON.stringify(event) })
        .onConflict('id')
        .ignore()
        .returning('id');
      return inserted.length === 1;
    },
  };
  return receiver({
    secrets,
    onEvent: onceById(store, (event, trx) => followSubscription(trx, event)),
  });
}
