import {
  type AllOptions,
  assertOptions,
  booleanOption,
  having,
  integerOption,
  type OptionRule,
} from '@paymount/core/kernel';
import type { StorageAdapter } from '@paymount/core/store';
import type { ConnectionInput } from './connection/open-database.ts';
import { isSchemaName } from './connection/statement.ts';
import { createPostgresStorage } from './create-postgres-storage.ts';
import { migrate } from './schema/migrate.ts';

/** Where PostgreSQL is, and how Paymount connects to it. */
export interface PostgresStorageOptions {
  /**
   * A connection string, or the host's own `pg.Pool` or knex, which Paymount does not close.
   * PostgreSQL 14 or later. Paymount listens to the errors of a pool's connections, so that a
   * broken one does not end the process.
   */
  readonly database: ConnectionInput;
  /** The schema of Paymount's tables: letters, digits and `_`. @defaultValue `paymount` */
  readonly schema?: string;
  /** Size of Paymount's own pool, when `database` is a connection string. @defaultValue 10 */
  readonly poolSize?: number;
  /**
   * A connection string that bypasses a pooler, for key look-ups and for notifications: of
   * changes of access, and of first attempts.
   * @defaultValue the settings of `database`
   */
  readonly directUrl?: string;
  /**
   * False for poolers in transaction mode. Then, without Redis or `directUrl`, a process notices a
   * revocation only when its lease ends, after at most 500 ms, and workers find the first attempts of
   * processes without a worker within a second.
   * @defaultValue true
   */
  readonly preparedStatements?: boolean;
}

/** PostgreSQL's own limit on connections is far below. */
const MAX_POOL_SIZE = 1_000;
/** The driver would treat the address of any other service as one of PostgreSQL. */
const CONNECTION_STRING = /^(?:postgres(?:ql)?:\/\/|socket:|\/)/i;

/** An address that the driver can use: a URL, or the folder of a Unix socket. */
export const connectionStringOption: OptionRule = {
  must: 'a connection string that begins with `postgres://`, `postgresql://`, `socket:` or `/`',
  accepts: (value) => typeof value === 'string' && CONNECTION_STRING.test(value),
};

/**
 * The type of each option; `createPaymount` validates its options of the same names by the same
 * rules.
 */
export const POSTGRES_OPTIONS: AllOptions<PostgresStorageOptions> = {
  database: {
    must: `${connectionStringOption.must}, a \`pg.Pool\` or a knex`,
    // A missing or empty value is reported where it is read.
    accepts: (value) =>
      !value ||
      connectionStringOption.accepts(value) ||
      having('', 'raw').accepts(value) ||
      having('', 'connect', 'on').accepts(value),
  },
  schema: {
    must: 'the name of a schema: letters, digits and `_`, at most 63, and no digit first',
    accepts: (value) => typeof value === 'string' && isSchemaName(value),
  },
  poolSize: integerOption(1, MAX_POOL_SIZE),
  directUrl: connectionStringOption,
  preparedStatements: booleanOption,
};

/**
 * Stores everything in PostgreSQL; it does not connect yet.
 * @throws TypeError for an unknown option or a value of the wrong type; Error for an empty
 * `database`
 */
export function postgresStorage(options: PostgresStorageOptions): StorageAdapter {
  assertOptions('postgresStorage()', POSTGRES_OPTIONS, options);
  const { database: connection, schema, poolSize, directUrl, preparedStatements } = options;
  // The driver would use its default database.
  if (!connection) throw new Error('`database` is empty; is DATABASE_URL set?');
  const named = { connection, ...(schema === undefined ? {} : { schema }) };
  return {
    namespace: schema ?? 'paymount',
    migrate: () => migrate(named),
    open: ({ dispatch, clock, onAccessChange, hook, crashPoint }) =>
      createPostgresStorage({
        ...named,
        dispatch,
        clock,
        onAccessChange,
        ...(poolSize === undefined ? {} : { pool: { max: poolSize } }),
        ...(directUrl === undefined ? {} : { directUrl }),
        ...(preparedStatements === undefined ? {} : { preparedStatements }),
        ...(hook && { hook }),
        ...(crashPoint && { crashPoint }),
      }),
  };
}
