import type { Knex } from 'knex';
import { connectionOf } from '../connection/connections.ts';
import type { Statements } from '../connection/statement.ts';
import { pgSender } from '../connection/statement-sender.ts';
import type { ConnectionQueue } from '../transaction/connection-queue.ts';
import { findQueue, queueFor, withHookQueue } from '../transaction/connection-queues.ts';
import { nestedTransaction } from '../transaction/nested-transaction.ts';
import type { HostHandle } from './host-handle.ts';

/** Whether a value is a transaction of knex, not a plain knex. */
export function isKnexTransaction(value: unknown): value is Knex.Transaction {
  return typeof value === 'function' && 'isTransaction' in value && value.isTransaction === true;
}

/** A transaction that the host opened with knex. */
export function knexHandle(trx: Knex.Transaction, statements: Statements): HostHandle {
  const hookQueue = findHookQueue(trx);
  return {
    isHook: hookQueue !== undefined,
    isOutermost: !trx.parentTransaction,
    get isOpen() {
      return !trx.isCompleted();
    },
    async connect() {
      const connection = await connectionOf(trx);
      const sender = pgSender(connection, statements);
      return { sender, queue: hookQueue ?? queueFor(connection) };
    },
    async runHook(work) {
      await nestedTransaction(trx, await connectionOf(trx), trx, withHookQueue(work));
    },
    onEnd: (told) => whenSettled(trx, told),
  };
}

/**
 * Runs `then` when the outermost transaction has committed or rolled back. The `executionPromise`
 * of a nested one settles when its savepoint ends.
 */
function whenSettled(trx: Knex.Transaction, then: () => void): void {
  let outermost = trx;
  while (outermost.parentTransaction) outermost = outermost.parentTransaction;
  outermost.executionPromise.then(then, then);
}

function findHookQueue(trx: Knex.Transaction): ConnectionQueue | undefined {
  for (let at: Knex.Transaction | undefined = trx; at; at = at.parentTransaction) {
    const queue = findQueue(at);
    if (queue) return queue;
  }
  return undefined;
}
