import { EventEmitter } from 'node:events';
import type { Connection } from '../connection/send.ts';

/** The server's status of a connection without a transaction. */
const IDLE = 'I';
/** The command tag of COMMIT and END, also with AND CHAIN, but not for a failed transaction. */
const COMMITTED = 'COMMIT';

/** Detects the end of a transaction on a pg client. */
export interface WatchedEnd {
  readonly isOpen: boolean;
  /** Never rejects. */
  readonly ended: Promise<void>;
}

interface Watch extends WatchedEnd {
  /** The id of the transaction, as soon as the server has returned it. */
  xid: string | undefined;
  end(): void;
}

/** One for each transaction, even if several `using()` calls join it. */
const watched = new WeakMap<Connection, Watch>();

/** Whether the server last reported that no transaction is open. */
export function isIdle(client: Connection): boolean {
  const status = client.getTransactionStatus();
  return status === null || status === IDLE;
}

/**
 * Resolves at the end of the transaction that is open on a client.
 * @param xid of the open transaction, if the server has just returned it; a transaction with
 * another xid has ended
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
 * Listens to the server's responses, before the host's code continues, and wraps none of the host's
 * functions. So an end is noticed even if the next transaction begins at once or is chained to it.
 * @returns a function that stops listening
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
  const messages = findMessages(client);
  client.on('end', end);
  client.on('drain', onDrain);
  messages?.on('commandComplete', onCommand).on('readyForQuery', onReady);
  return () => {
    client.off('end', end);
    client.off('drain', onDrain);
    messages?.off('commandComplete', onCommand).off('readyForQuery', onReady);
  };
}

/**
 * The messages of the server, as events. A client of `pg-native` does not offer them: it reports
 * only that it has nothing more to send.
 */
function findMessages(client: Connection): EventEmitter | undefined {
  const messages: unknown = Reflect.get(client, 'connection');
  return messages instanceof EventEmitter ? messages : undefined;
}
