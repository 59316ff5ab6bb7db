import type { StorageAdapter } from '@paymount/core';
import { createPostgresStorage } from './create-postgres-storage.ts';
import { migrate } from './migrate.ts';
import type { ConnectionInput } from './open-database.ts';

/** Where PostgreSQL is, and how it is talked to. */
export interface PostgresStorageOptions {
  /**
   * A connection string, or the host's own `pg.Pool` or knex, which stay the host's: PostgreSQL 14 or
   * later. Errors of a pool's connections are listened to, so that one that dies does not end the process.
   */
  readonly database: ConnectionInput;
  /** Where Paymount's tables live. Letters, digits and `_`. @defaultValue `paymount` */
  readonly schema?: string;
  /** Size of Paymount's own pool, when `database` is a connection string. @defaultValue 10 */
  readonly poolSize?: number;
  /**
   * Where key look-ups connect instead, past a pooler, and where changes of access are listened for.
   * @defaultValue the settings of `database`
   */
  readonly directUrl?: string;
  /**
   * False for poolers that hand each transaction another server connection; then only Redis or
   * `directUrl` bring news of a revocation before the lease ends, after 500 ms. @defaultValue true
   */
  readonly preparedStatements?: boolean;
}

/** PostgreSQL as the place to keep everything; nothing is dialed yet. */
export function postgresStorage(options: PostgresStorageOptions): StorageAdapter {
  const { database: connection, schema, poolSize, directUrl, preparedStatements } = options;
  const named = { connection, ...(schema === undefined ? {} : { schema }) };
  return {
    namespace: schema ?? 'paymount',
    migrate: () => migrate(named),
    open: ({ dispatch, clock, onAccessChange, hook }) =>
      createPostgresStorage({
        ...named,
        dispatch,
        clock,
        onAccessChange,
        ...(poolSize === undefined ? {} : { pool: { max: poolSize } }),
        ...(directUrl === undefined ? {} : { directUrl }),
        ...(preparedStatements === undefined ? {} : { preparedStatements }),
        ...(hook && { hook }),
      }),
  };
}
