import type { StorageAdapter } from '@paymount/core/store';
import { openPglite, type PgliteServer } from '@paymount/storage-postgres/pglite';
import { postgresStorage } from '../options/postgres-storage.ts';

/** PostgreSQL in this process, as a storage adapter. */
export interface PgliteStorage extends StorageAdapter {
  /**
   * For your own tables beside Paymount's, with any library that accepts a `pg.Pool`, such as
   * `knex({ client: 'pg', connectionPool: storage.pool })`. One transaction runs at a time.
   */
  readonly pool: PgliteServer['pool'];
  /**
   * Ends it and discards its data. First close everything that uses it. Safe to call twice.
   * @throws Error if clients of `pool` are not returned within 1.5 s; it has ended anyway
   */
  close(): Promise<void>;
}

/** A migrated data directory; copying it is much faster than migrating again. */
let template: Promise<Blob> | undefined;

/**
 * Starts a PostgreSQL in this process and memory: for unit tests, with nothing else installed than
 * `@electric-sql/pglite`. It is migrated and empty. The first one of a process takes some seconds,
 * later ones less than one.
 * @throws Error when `@electric-sql/pglite` is not installed; TypeError for any argument, because
 * it has no options
 */
export async function pgliteStorage(...options: readonly []): Promise<PgliteStorage> {
  // JavaScript callers may pass a folder and expect to find the data there.
  if (options.some((given) => given !== undefined)) {
    throw new TypeError(
      'pgliteStorage() takes no options: its data is in memory, in the schema `paymount`.',
    );
  }
  const { PGlite } = await loadPglite();
  template ??= makeTemplate();
  template.catch(() => {
    template = undefined;
  });
  const server = openPglite(await PGlite.create({ loadDataDir: await template }));
  const adapter = adapterOn(server);
  return {
    ...adapter,
    // The data is in the memory of one process, and one session does all work: notifications go to
    // the client of the next statement, and a second transaction begins only after the first has
    // ended.
    lacks: [
      'processes',
      'parallel-transactions',
      'access-change-notifications',
      'delivery-notifications',
    ],
    open: (ports) => {
      const stores = adapter.open(ports);
      // A second connection would wait forever for the snapshot of the first.
      return { ...stores, verify: (how) => stores.verify({ ...how, connections: 1 }) };
    },
    pool: server.pool,
    close: server.close,
  };
}

function adapterOn({ pool }: PgliteServer): StorageAdapter {
  // Clients share one session, and so the names of prepared statements.
  return postgresStorage({ database: pool, preparedStatements: false });
}

async function makeTemplate(): Promise<Blob> {
  const { PGlite } = await loadPglite();
  const pglite = await PGlite.create();
  const server = openPglite(pglite);
  try {
    await adapterOn(server).migrate();
    return await pglite.dumpDataDir('none');
  } finally {
    await server.close();
  }
}

async function loadPglite(): Promise<typeof import('@electric-sql/pglite')> {
  try {
    return await import('@electric-sql/pglite');
  } catch (cause) {
    throw new Error(
      'pgliteStorage() needs PGlite: `npm install --save-dev @electric-sql/pglite`.',
      { cause },
    );
  }
}
