/** The storage that Paymount has when the host names none; nothing else here knows PostgreSQL. */
export {
  DatabaseError,
  describeNoConnection,
  type HostHook as StorageHook,
  type HostTransaction,
  type PostgresStorageOptions,
  postgresStorage,
} from '@paymount/storage-postgres';
