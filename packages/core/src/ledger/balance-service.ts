import { ownerOf } from '../kernel/callers/call.ts';
import type { Call } from '../kernel/callers/principal.ts';
import { findOrThrow, idsAmong } from '../kernel/errors/missing.ts';
import type { Page, PageRequest } from '../kernel/input/page.ts';
import type { BalanceTransaction, BalanceWithSources } from './ledger.ts';
import type { BalanceTransactionFilter } from './ledger-repository.ts';
import type { LedgerStorage } from './ledger-storage.ts';

/** The balance of an account, and the balance transactions that explain it. */
export class BalanceService {
  readonly #storage: LedgerStorage;

  constructor(ports: { readonly storage: LedgerStorage }) {
    this.#storage = ports.storage;
  }

  /** One row per currency ever posted. */
  async retrieve(call: Call): Promise<readonly BalanceWithSources[]> {
    return this.#storage.read.ledger.balances(ownerOf(call));
  }

  /** @throws PaymountError `resource_missing` */
  async retrieveTransaction(call: Call, id: string): Promise<BalanceTransaction> {
    return findOrThrow({ noun: 'balance transaction', prefix: 'txn' }, id, (transactionId) =>
      this.#storage.read.ledger.findTransaction(ownerOf(call), transactionId),
    );
  }

  /** The balance transactions of `ids`, in no order; unknown ids are left out. One query. */
  async retrieveTransactions(
    call: Call,
    ids: readonly string[],
  ): Promise<readonly BalanceTransaction[]> {
    return this.#storage.read.ledger.findTransactions(ownerOf(call), idsAmong('txn', ids));
  }

  /** Newest first. @throws PaymountError `invalid_cursor` */
  async listTransactions(
    call: Call,
    filter: BalanceTransactionFilter,
    page: PageRequest,
  ): Promise<Page<BalanceTransaction>> {
    return this.#storage.read.ledger.listTransactions(ownerOf(call), filter, page);
  }
}
