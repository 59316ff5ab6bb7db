import type { Statements } from '../connection/statement.ts';
import { ConnectionQueue } from '../transaction/connection-queue.ts';
import type { HostHandle } from './host-handle.ts';
import type { TransactionPort } from './host-transaction.ts';
import { portSender } from './port-sender.ts';

/** The backend and the start time together identify a transaction. */
const NAME = `SELECT pg_backend_pid() || ' ' || extract(epoch FROM transaction_timestamp()) AS name`;

/** The queue of each open transaction: hosts create a port for each call. */
const queuesByName = new Map<string, WeakRef<ConnectionQueue>>();
const forgotten = new FinalizationRegistry<string>((name) => {
  if (queuesByName.get(name)?.deref() === undefined) queuesByName.delete(name);
});

/**
 * A transaction of any other library.
 * @throws TypeError when a function of the port is missing
 */
export function portHandle(port: TransactionPort, statements: Statements): HostHandle {
  assertPort(port);
  const { onEnd } = port;
  const sender = portSender(port);
  const told: (() => void)[] = [];
  let isOpen = true;
  onEnd?.call(port, () => {
    if (!isOpen) return;
    isOpen = false;
    for (const tell of told) tell();
  });
  let queue: Promise<ConnectionQueue> | undefined;
  return {
    isHook: false,
    isOutermost: true,
    get isOpen() {
      return isOpen && !sender.isLost;
    },
    async connect() {
      queue ??= sender.send<{ name: string }>(statements.plain(NAME)).then(
        ({ rows }) => queueFor(String(rows[0]?.name)),
        (error: unknown) => {
          queue = undefined;
          throw error;
        },
      );
      return { sender, queue: await queue };
    },
    runHook: async () => {
      throw new Error('A hook runs in transactions of pg and knex alone.');
    },
    ...(onEnd && { onEnd: (tell) => void told.push(tell) }),
  };
}

const QUERY = '`query(text, values)` runs one statement on the connection of the transaction.';
const ON_END =
  '`onEnd(ended)` has `ended` called when the transaction has committed or rolled back; it is null ' +
  'if the outcome is unknown.';

function assertPort({ query, onEnd }: TransactionPort): void {
  if (typeof query !== 'function') throw new TypeError(lacking('query', query, QUERY));
  if (onEnd !== null && typeof onEnd !== 'function') {
    throw new TypeError(lacking('onEnd', onEnd, ON_END));
  }
}

/** Hosts without TypeScript may pass anything. */
function lacking(member: string, found: unknown, meaning: string): string {
  const wrong =
    found === undefined
      ? `This port has no \`${member}\`.`
      : `\`${member}\` of this port is no function, but of the type ${typeof found}.`;
  return `${wrong} ${meaning}`;
}

function queueFor(name: string): ConnectionQueue {
  const known = queuesByName.get(name)?.deref();
  if (known) return known;
  const queue = new ConnectionQueue();
  queuesByName.set(name, new WeakRef(queue));
  forgotten.register(queue, name);
  return queue;
}
