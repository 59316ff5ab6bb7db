import {
  type AllOptions,
  assertOptions,
  booleanOption,
  having,
  integerOption,
  type OptionRule,
} from '@paymount/core/kernel';
import type { StorageAdapter } from '@paymount/core/store';
import { createPostgresStorage } from './create-postgres-storage.ts';
import { migrate } from './migrate.ts';
import type { ConnectionInput } from './open-database.ts';
import { isSchemaName } from './shared/statement.ts';

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

/** PostgreSQL's own limit on connections is far below. */
const MAX_POOL_SIZE = 1_000;
/** The driver takes an address of any other service for one of PostgreSQL. */
const CONNECTION_STRING = /^(?:postgres(?:ql)?:\/\/|socket:|\/)/i;

/** An address that the driver dials: a URL, or the folder of a Unix socket. */
export const A_CONNECTION_STRING: OptionRule = {
  must: 'a connection string that begins with `postgres://`, `postgresql://`, `socket:` or `/`',
  accepts: (value) => typeof value === 'string' && CONNECTION_STRING.test(value),
};

/** What each option takes; `createPaymount` judges its own of these names by the same rules. */
export const POSTGRES_OPTIONS: AllOptions<PostgresStorageOptions> = {
  database: {
    must: `${A_CONNECTION_STRING.must}, a \`pg.Pool\` or a knex`,
    // What is missing or empty is told where it is read.
    accepts: (value) =>
      !value ||
      A_CONNECTION_STRING.accepts(value) ||
      having('', 'raw').accepts(value) ||
      having('', 'connect', 'on').accepts(value),
  },
  schema: {
    must: 'the name of a schema: letters, digits and `_`, at most 63, and no digit first',
    accepts: (value) => typeof value === 'string' && isSchemaName(value),
  },
  poolSize: integerOption(1, MAX_POOL_SIZE),
  directUrl: A_CONNECTION_STRING,
  preparedStatements: booleanOption,
};

/**
 * PostgreSQL as the place to keep everything; nothing is dialed yet.
 * @throws TypeError for an option that there is none, or that is not what it must be; Error for an
 *   empty `database`
 */
export function postgresStorage(options: PostgresStorageOptions): StorageAdapter {
  assertOptions('postgresStorage()', POSTGRES_OPTIONS, options);
  const { database: connection, schema, poolSize, directUrl, preparedStatements } = options;
  // The driver would go to a database of its own choice.
  if (!connection) throw new Error('`database` is empty; is DATABASE_URL set?');
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
