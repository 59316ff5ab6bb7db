import type pg from 'pg';
import type { Connection } from './send.ts';

/** One listener per connection, even if several installations share it. */
const handled = new WeakSet<Connection>();

/**
 * Handles the errors of a pool and of its connections, because unhandled ones end the process.
 * The user of a connection gets the error from its statement; a connection that fails while idle
 * has already left the pool. A connection may fail with its first bytes, so this uses the event
 * `acquire`, which the pool emits before anyone gets the connection.
 * @returns removes the listeners of the pool
 */
export function handleConnectionErrors(pool: pg.Pool): () => void {
  const onIdleError = (): void => undefined;
  pool.on('error', onIdleError);
  pool.on('acquire', handleErrors);
  return () => {
    pool.off('error', onIdleError);
    pool.off('acquire', handleErrors);
  };
}

/** A failed connection is closed when it is released. */
function handleErrors(connection: Connection): void {
  if (handled.has(connection)) return;
  handled.add(connection);
  connection.on('error', (error) => {
    connection.__knex__disposed = error;
  });
}
