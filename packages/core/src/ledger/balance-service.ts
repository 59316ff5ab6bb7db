import type { Storage } from '../changes/storage.ts';
import { ownerOf } from '../shared/call.ts';
import { findOrThrow, idsAmong } from '../shared/missing.ts';
import type { Page, PageRequest } from '../shared/page.ts';
import type { Call } from '../shared/principal.ts';
import type { BalanceTransaction, BalanceTransactionFilter, CurrencyBalance } from './ledger.ts';

/** What an account is owed, and the lines that explain it. */
export class BalanceService {
  readonly #storage: Storage;

  constructor(ports: { readonly storage: Storage }) {
    this.#storage = ports.storage;
  }

  /** One row per currency ever booked. */
  async retrieve(call: Call): Promise<readonly CurrencyBalance[]> {
    return this.#storage.read.ledger.balances(ownerOf(call));
  }

  /** @throws PaymountError `resource_missing` */
  async retrieveTransaction(call: Call, id: string): Promise<BalanceTransaction> {
    return findOrThrow({ noun: 'balance transaction', prefix: 'txn' }, id, (transactionId) =>
      this.#storage.read.ledger.findTransaction(ownerOf(call), transactionId),
    );
  }

  /** What `ids` name here, in no order; unknown ones are left out. One query. */
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
