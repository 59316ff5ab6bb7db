/** The storage that Paymount has when the host names none; nothing else here knows PostgreSQL. */
export {
  connectionStringOption,
  DatabaseError,
  describeNoConnection,
  type HookTransaction,
  type HostHook as StorageHook,
  type HostTransaction,
  type KnexTransaction,
  type PgTransaction,
  POSTGRES_OPTIONS,
  type PortValue,
  type PostgresStorageOptions,
  postgresStorage,
  type TransactionPort,
} from '@paymount/storage-postgres';
