// The storage ports on PostgreSQL: repositories, the one writer of changes, migrations, ledger checks.
// It decides nothing about payments: services compute changes, this package commits them whole.
// It may touch knex and pg; `session.ts` alone reaches into them, `transaction.ts` begins, and
// `snapshot.ts` for reading alone.
// Start at `changes/change-rows.ts`, then `changes/change-statement.ts`.

export type { HostHook } from './changes/change-rows.ts';
export type {
  OpenPostgresOptions,
  PostgresStorage,
} from './create-postgres-storage.ts';
export { createPostgresStorage } from './create-postgres-storage.ts';
export { DatabaseError, describeNoConnection } from './database-error.ts';
export type { HookTransaction } from './hook-transaction.ts';
export type {
  HostTransaction,
  KnexTransaction,
  PgTransaction,
  PortValue,
  TransactionPort,
} from './host-transaction.ts';
export type { MigrateOptions } from './migrate.ts';
export { migrate } from './migrate.ts';
export type { ConnectionInput } from './open-database.ts';
export type { PostgresStorageOptions } from './postgres-storage.ts';
export { A_CONNECTION_STRING, POSTGRES_OPTIONS, postgresStorage } from './postgres-storage.ts';
