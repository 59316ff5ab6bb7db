import { withTimeout } from '@paymount/core/kernel';
import pg from 'pg';
import { Engine, type Pglite } from './engine.ts';
import { PgliteSocket } from './pglite-socket.ts';

/** Enough that clients wait for the session, and not in the pool as well. */
const CLIENTS = 10;
/** Below 2 s, after which mocha ends a hook without saying what it waited for. */
const CLOSE_LIMIT_MS = 1_500;

/** A PostgreSQL in this process. */
export interface PgliteServer {
  /**
   * For Paymount and for the host's own tables, with `pg`, knex or anything else that accepts a
   * pool.
   */
  readonly pool: pg.Pool;
  /**
   * Ends the pool and the server; the data is lost. Safe to call twice.
   * @throws Error when clients of the pool are not released within 1.5 s; the server has ended all
   * the same
   */
  close(): Promise<void>;
}

/** Creates a pool for a PGlite that is ready. */
export function openPglite(pglite: Pglite): PgliteServer {
  const engine = new Engine(pglite);
  const pool = new pg.Pool({
    // As PGlite names them.
    user: 'postgres',
    database: 'postgres',
    max: CLIENTS,
    stream: () => new PgliteSocket(engine),
  });
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    const isEmpty = await emptied(pool);
    const lent = pool.totalCount;
    await engine.close();
    if (!isEmpty) throw new Error(notGivenBack(lent));
  };
  return {
    pool,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

/** Ends a pool. @returns false if clients are still in use after 1.5 s */
async function emptied(pool: pg.Pool): Promise<boolean> {
  const ended = pool.end().then(() => true);
  return withTimeout(ended, CLOSE_LIMIT_MS, () => false);
}

function notGivenBack(lent: number): string {
  const clients = lent === 1 ? '1 client' : `${lent} clients`;
  return (
    `PGlite was closed while ${clients} of \`storage.pool\` ${lent === 1 ? 'was' : 'were'} in use. ` +
    'Before `storage.close()`, end each transaction, release each client that ' +
    '`storage.pool.connect()` gave, and call `paymount.close()`.'
  );
}
