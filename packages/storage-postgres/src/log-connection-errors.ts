import type pg from 'pg';
import type { Connection } from './connections.ts';

/** One listener per pool, even if several installations share it. */
const listened = new WeakSet<Connection>();

/**
 * Listens to the errors of a pool and of its connections, because unhandled ones end the process.
 * The user of a connection gets the error from its statement; a connection that fails while idle
 * has already left the pool. A connection may fail with its first bytes, so this uses the event
 * `acquire`, which the pool emits before anyone gets the connection.
 * @returns stops listening to the pool
 */
export function logConnectionErrors(pool: pg.Pool): () => void {
  const onIdleError = (): void => undefined;
  pool.on('error', onIdleError);
  pool.on('acquire', listen);
  return () => {
    pool.off('error', onIdleError);
    pool.off('acquire', listen);
  };
}

/** A failed connection is closed when it is released. */
function listen(connection: Connection): void {
  if (listened.has(connection)) return;
  listened.add(connection);
  connection.on('error', (error) => {
    connection.__knex__disposed = error;
  });
}
