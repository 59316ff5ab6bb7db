import type pg from 'pg';
import type { Connection } from './connections.ts';

/** One listener each, however many installations share a pool. */
const heard = new WeakSet<Connection>();

/**
 * Listens to the errors of a pool and of its connections, because unhandled ones end the process.
 * The user of a connection gets the error from its statement; a connection that fails while idle
 * has already left the pool.
 * A connection may fail in the very bytes with which it arrives, so `acquire` it is, which the pool
 * emits before anybody gets the connection.
 * @returns stops listening to the pool
 */
export function logConnectionErrors(pool: pg.Pool): () => void {
  const onIdleError = (): void => undefined;
  pool.on('error', onIdleError);
  pool.on('acquire', hear);
  return () => {
    pool.off('error', onIdleError);
    pool.off('acquire', hear);
  };
}

/** What failed is closed when it comes back. */
function hear(connection: Connection): void {
  if (heard.has(connection)) return;
  heard.add(connection);
  connection.on('error', (error) => {
    connection.__knex__disposed = error;
  });
}
