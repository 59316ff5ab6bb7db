import pg from 'pg';
import { Engine, type Pglite } from './engine.ts';
import { PgliteSocket } from './pglite-socket.ts';

/** As many as may wait for their turn without a queue in the pool as well. */
const CLIENTS = 10;

/** A PostgreSQL in this process. */
export interface PgliteServer {
  /** For Paymount and for the host's own tables: `pg`, knex and what else takes a pool. */
  readonly pool: pg.Pool;
  /** Ends the pool and the server; what it held is gone. Twice is harmless. */
  close(): Promise<void>;
}

/** Puts a pool before a PGlite that is ready. */
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
    await pool.end();
    await engine.close();
  };
  return {
    pool,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}
