// The storage ports on PostgreSQL: repositories, the only writer of changes, migrations, ledger
// checks. It makes no decisions about payments: services compute changes, and this package commits
// each of them atomically. It may use knex and pg; only `connection/connections.ts` uses their
// internals, and only `transaction/transaction.ts` and `transaction/snapshot.ts` (for reads) begin
// transactions. Start at `changes/change-rows.ts`, then `changes/change-statement.ts`.

export type { HostHook } from './changes/execute-change.ts';
export { DatabaseError, describeNoConnection } from './connection/database-error.ts';
export type {
  OpenPostgresOptions,
  PostgresStorage,
} from './create-postgres-storage.ts';
export { createPostgresStorage } from './create-postgres-storage.ts';
export type {
  HostTransaction,
  KnexTransaction,
  PgTransaction,
  PortValue,
  TransactionPort,
} from './host-transaction/host-transaction.ts';
export type { PostgresStorageOptions } from './postgres-storage.ts';
export { connectionStringOption, POSTGRES_OPTIONS, postgresStorage } from './postgres-storage.ts';
export { migrate } from './schema/migrate.ts';
export type { HookTransaction } from './transaction/hook-transaction.ts';
