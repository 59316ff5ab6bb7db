import type { Connection } from '../connection/send.ts';
import { pgSender } from '../connection/statement-sender.ts';
import { queueFor, withHookQueue } from '../transaction/connection-queues.ts';
import { nestedTransaction } from '../transaction/nested-transaction.ts';
import type { Session } from '../transaction/session.ts';
import type { HostHandle } from './host-handle.ts';
import { endOn, isIdle, type WatchedEnd } from './pg-transaction-end.ts';

/** Whether a value is a client of pg, not a pool. */
export function isPgClient(value: unknown): value is Connection {
  const names = ['query', 'getTransactionStatus', 'escapeLiteral', 'on'] as const;
  return (
    typeof value === 'object' &&
    value !== null &&
    names.every((name) => typeof Reflect.get(value, name) === 'function')
  );
}

/**
 * A transaction that was begun on a client of pg.
 * @throws TypeError when none is open on it
 */
export function pgHandle(client: Connection, base: Session): HostHandle {
  if (isIdle(client)) {
    throw new TypeError(
      'This pg client is in no transaction. Await `client.query("BEGIN")` on it before `using(client)`.',
    );
  }
  let own = endOn(client);
  let latest: WatchedEnd | undefined;
  const parent = {
    get executionPromise() {
      return own.ended;
    },
  };
  return {
    isHook: false,
    isOutermost: true,
    get isOpen() {
      return (latest ?? own).isOpen && !isIdle(client);
    },
    connect: async () => ({ sender: pgSender(client, base.statements), queue: queueFor(client) }),
    onSavepoint(xid) {
      const met = endOn(client, xid);
      // It belongs to the transaction in which it is first used.
      if (latest === undefined) own = met;
      latest = met;
    },
    runHook: (work) =>
      nestedTransaction(base.connections.knex, client, parent, withHookQueue(work)),
    onEnd: (told) => void own.ended.then(told),
  };
}
