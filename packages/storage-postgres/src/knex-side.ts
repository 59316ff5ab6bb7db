import type { Knex } from 'knex';
import type { ConnectionQueue } from './connection-queue.ts';
import { createQueue, findQueue, queueFor } from './connection-queues.ts';
import { connectionOf, nestedTransaction, whenSettled } from './connections.ts';
import type { HookTransaction } from './hook-transaction.ts';
import type { HostSide } from './host-side.ts';
import type { Statements } from './shared/statement.ts';
import { pgWire } from './wire.ts';

/** Whether a value is a transaction of knex, not a plain knex. */
export function isKnexTransaction(value: unknown): value is Knex.Transaction {
  return typeof value === 'function' && 'isTransaction' in value && value.isTransaction === true;
}

/** A transaction that the host opened with knex. */
export function knexSide(trx: Knex.Transaction, statements: Statements): HostSide {
  const hookQueue = findHookQueue(trx);
  return {
    isHook: hookQueue !== undefined,
    isOutermost: !trx.parentTransaction,
    get isOpen() {
      return !trx.isCompleted();
    },
    async connect() {
      const connection = await connectionOf(trx);
      const wire = pgWire(connection, statements);
      return { wire, queue: hookQueue ?? queueFor(connection) };
    },
    async runHook(work) {
      await nestedTransaction(trx, await connectionOf(trx), trx, withHookQueue(work));
    },
    onEnd: (told) => whenSettled(trx, told),
  };
}

function findHookQueue(trx: Knex.Transaction): ConnectionQueue | undefined {
  for (let at: Knex.Transaction | undefined = trx; at; at = at.parentTransaction) {
    const queue = findQueue(at);
    if (queue) return queue;
  }
  return undefined;
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
