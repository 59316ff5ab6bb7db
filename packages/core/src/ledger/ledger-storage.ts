import type { LedgerReader, LedgerRepository } from './ledger-repository.ts';

/** The reads, locks and writes of the ledger's services. */
export interface LedgerStorage {
  readonly read: { readonly ledger: LedgerReader };
  /** One transaction, as `AreaStorage.transaction`. */
  transaction<Result>(
    work: (repositories: { readonly ledger: LedgerRepository }) => Promise<Result>,
  ): Promise<Result>;
}
