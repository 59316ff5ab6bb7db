import { EventEmitter } from 'node:events';
import type { Connection } from './connections.ts';

/** What the server says of a connection that is in no transaction. */
const IDLE = 'I';
/** What it answers to COMMIT and END, AND CHAIN as well, but not of a transaction that had failed. */
const COMMITTED = 'COMMIT';

/** How a transaction on a pg client is known to have ended. */
export interface WatchedEnd {
  readonly isOpen: boolean;
  /** Never rejects. */
  readonly ended: Promise<void>;
}

interface Watch extends WatchedEnd {
  /** The transaction's, as soon as the server was asked for it. */
  xid: string | undefined;
  end(): void;
}

/** One for each transaction, however many `using()` there are of it. */
const watched = new WeakMap<Connection, Watch>();

/** Whether the server said last that no transaction is open. */
export function isIdle(client: Connection): boolean {
  const status = client.getTransactionStatus();
  return status === null || status === IDLE;
}

/**
 * The end of the transaction that is open on a client.
 * @param xid of the open one, when the server has just told it: one of another xid has ended
 */
export function endOn(client: Connection, xid?: string): WatchedEnd {
  const known = watched.get(client);
  if (known && (xid === undefined || (known.xid ?? xid) === xid)) {
    known.xid ??= xid;
    return known;
  }
  known?.end();
  return watch(client, xid);
}

function watch(client: Connection, xid: string | undefined): Watch {
  let isOpen = true;
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = () => {
      isOpen = false;
      stop();
      if (watched.get(client) === watching) watched.delete(client);
      resolve();
    };
  });
  const watching: Watch = {
    get isOpen() {
      return isOpen;
    },
    xid,
    ended,
    end,
  };
  const stop = listen(client, end);
  watched.set(client, watching);
  return watching;
}

/**
 * Nothing of the host's is wrapped: what the server answers is heard, before the host goes on. So
 * an end is noticed though the next transaction begins in the same breath, or is chained to it.
 * @returns stops listening
 */
function listen(client: Connection, end: () => void): () => void {
  const onDrain = (): void => {
    if (isIdle(client)) end();
  };
  const onCommand = ({ text }: { readonly text?: unknown }): void => {
    if (text === COMMITTED) end();
  };
  const onReady = ({ status }: { readonly status?: unknown }): void => {
    if (status === IDLE) end();
  };
  const wire = findWire(client);
  client.on('end', end);
  client.on('drain', onDrain);
  wire?.on('commandComplete', onCommand).on('readyForQuery', onReady);
  return () => {
    client.off('end', end);
    client.off('drain', onDrain);
    wire?.off('commandComplete', onCommand).off('readyForQuery', onReady);
  };
}

/** Of the client of `pg-native` there is none: it tells only when it has nothing more to send. */
function findWire(client: Connection): EventEmitter | undefined {
  const wire: unknown = Reflect.get(client, 'connection');
  return wire instanceof EventEmitter ? wire : undefined;
}
