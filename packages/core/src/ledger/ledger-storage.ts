import type { LedgerReader, LedgerRepository } from './ledger.ts';

/** What services of the ledger read, lock and write. */
export interface LedgerStorage {
  readonly read: { readonly ledger: LedgerReader };
  /** One transaction, as `StorageOf.transaction`. */
  transaction<Result>(
    work: (repositories: { readonly ledger: LedgerRepository }) => Promise<Result>,
  ): Promise<Result>;
}
