import type { WebhookEvent } from './webhook-event.ts';

/**
 * Where a receiver records the ids of the events it has handled. One implementation for
 * PostgreSQL is {@link postgresEventStore}; another database needs these two functions.
 */
export interface EventStore<Transaction> {
  /** Runs the work in one transaction: committed when it resolves, rolled back when it throws. */
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
  /**
   * Records the event's id under a uniqueness constraint.
   * Of two concurrent callers with one id, one gets true; the other waits for the first one's
   * transaction and gets false, or true if that was rolled back.
   */
  insertIfAbsent(transaction: Transaction, event: WebhookEvent): Promise<boolean>;
}

/**
 * Makes an `onEvent` that handles each event once (specification: Events, Duplicates).
 * The id and the handler's own writes commit together: a handler that fails leaves no record, so
 * the next delivery runs it again, and a delivery of a recorded event is skipped and answered 200.
 * @param handle does its work on the transaction it is given
 */
export function onceById<Transaction>(
  store: EventStore<Transaction>,
  handle: (event: WebhookEvent, transaction: Transaction) => unknown,
): (event: WebhookEvent) => Promise<'handled' | 'duplicate'> {
  return (event) =>
    store.transaction(async (transaction) => {
      if (!(await store.insertIfAbsent(transaction, event))) return 'duplicate';
      await handle(event, transaction);
      return 'handled';
    });
}
