// The storage port: everything that Paymount stores, as an adapter opens it. It imports every area
// whose rows it stores, and only `triggers` imports it.
// Start at `storage-adapter.ts`.

export type { ExportedRow, ExportedTable } from './exports/export-repository.ts';
export { type HookPayload, hookCallsOf } from './hook-calls.ts';
export type { HookUseRepository } from './hook-use-repository.ts';
export { mailingStores } from './mailing-storage.ts';
export type {
  DueSubscriptions,
  Finding,
  StateReader,
  StoredState,
  WaitingPayouts,
} from './state/state-repository.ts';
export type { Readers, Repositories, Storage, StoredChange, StoredWrite } from './storage.ts';
export {
  STORAGE_CAPABILITIES,
  type StorageAdapter,
  type StorageCapability,
  type StoragePorts,
} from './storage-adapter.ts';
export type { Directories, Stores } from './stores.ts';
