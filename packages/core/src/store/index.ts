// The port of storage: all that is kept, as an adapter opens it.
// It imports every area whose rows it keeps, and none imports it but `conformance`.
// Start at `storage-adapter.ts`.

export type { Readers, Repositories, Storage, StoredChange, StoredWrite } from './storage.ts';
export {
  STORAGE_CAPABILITIES,
  type StorageAdapter,
  type StorageCapability,
  type StoragePorts,
} from './storage-adapter.ts';
export type { Directory, HookUse, Stores } from './stores.ts';
