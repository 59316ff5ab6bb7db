import { turnsOf } from './connection-turns.ts';
import { type Connection, nestedTransaction } from './connections.ts';
import type { HostSide } from './host-side.ts';
import { turnsInHook } from './knex-side.ts';
import type { Session } from './session.ts';
import { pgWire } from './wire.ts';

/** What the server says of a connection that is in no transaction. */
const IDLE = 'I';

/** One for each transaction, however many `using()` there are of it. */
const watched = new WeakMap<Connection, WatchedEnd>();

/** Whether a value is a client of pg; a pool is none. */
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
export function pgSide(client: Connection, base: Session): HostSide {
  if (isIdle(client)) {
    throw new TypeError(
      'This pg client is in no transaction. Await `client.query("BEGIN")` on it before `using(client)`.',
    );
  }
  const end = watched.get(client) ?? watch(client);
  const parent = { executionPromise: end.ended };
  return {
    isHook: false,
    isOutermost: true,
    get isOpen() {
      return end.isOpen && !isIdle(client);
    },
    reach: async () => ({ wire: pgWire(client, base.statements), turns: turnsOf(client) }),
    runHook: (work) => nestedTransaction(base.connections.knex, client, parent, turnsInHook(work)),
    onEnd: (told) => void end.ended.then(told),
  };
}

function isIdle(client: Connection): boolean {
  const status = client.getTransactionStatus();
  return status === null || status === IDLE;
}

interface WatchedEnd {
  readonly isOpen: boolean;
  /** Never rejects. */
  readonly ended: Promise<void>;
}

/**
 * Whenever a client has nothing more to send it says so, and the server has just told whether a
 * transaction is open. So nothing of the host's is wrapped, and a COMMIT is noticed when it is
 * answered, before the host goes on.
 */
function watch(client: Connection): WatchedEnd {
  let isOpen = true;
  const ended = new Promise<void>((resolve) => {
    const judge = (): void => {
      if (isIdle(client)) end();
    };
    const end = (): void => {
      isOpen = false;
      client.off('drain', judge);
      client.off('end', end);
      watched.delete(client);
      resolve();
    };
    client.on('drain', judge);
    client.on('end', end);
  });
  const watching = {
    get isOpen() {
      return isOpen;
    },
    ended,
  };
  watched.set(client, watching);
  return watching;
}
