import { ConnectionQueue } from './connection-queue.ts';
import type { HookTransaction } from './hook-transaction.ts';

/**
 * One queue for each connection, because several `using()` calls may share it, and one for each
 * hook.
 */
const queues = new WeakMap<object, ConnectionQueue>();

/** The queue of a connection, or of the transaction that a hook was given, if there is one. */
export function findQueue(on: object): ConnectionQueue | undefined {
  return queues.get(on);
}

/** The queue of a connection. */
export function queueFor(connection: object): ConnectionQueue {
  return queues.get(connection) ?? createQueue(connection);
}

/**
 * A hook runs during a call of ours, which holds the queue. So the calls that the hook makes in its
 * transaction have their own queue.
 */
export function withHookQueue(
  work: (trx: HookTransaction) => Promise<void>,
): (trx: HookTransaction) => Promise<void> {
  return (trx) => {
    createQueue(trx);
    return work(trx);
  };
}

function createQueue(on: object): ConnectionQueue {
  const queue = new ConnectionQueue();
  queues.set(on, queue);
  return queue;
}
