import type { Owner } from '../kernel/basics/environment.ts';
import type { BalanceTransactionId, PayoutId, TestClockId } from '../kernel/basics/id.ts';
import type { CreatedFilter, Page, PageRequest } from '../kernel/input/page.ts';
import type {
  BalanceTransaction,
  BalanceTransactionType,
  BalanceWithSources,
  CurrencyBalance,
  OwnedPosting,
} from './ledger.ts';

export interface BalanceTransactionFilter {
  /** Any of them. @defaultValue all */
  readonly types?: readonly BalanceTransactionType[];
  readonly sourceId?: string;
  /** Only what this automatic payout contains. */
  readonly payoutId?: PayoutId;
  readonly currency?: string;
  readonly created?: CreatedFilter;
  /** Only those on this test clock. @defaultValue those on none, or of one source or payout any */
  readonly clock?: TestClockId;
}

export interface LedgerReader {
  /** One row per currency ever posted, in order of currency. */
  balances(owner: Owner): Promise<readonly BalanceWithSources[]>;
  findTransaction(owner: Owner, id: BalanceTransactionId): Promise<BalanceTransaction | undefined>;
  /** The rows of `ids` that belong to this owner, in no order; one query. */
  findTransactions(
    owner: Owner,
    ids: readonly BalanceTransactionId[],
  ): Promise<readonly BalanceTransaction[]>;
  /** @throws `invalid_cursor` when a cursor is not a balance transaction of this owner */
  listTransactions(
    owner: Owner,
    filter: BalanceTransactionFilter,
    page: PageRequest,
  ): Promise<Page<BalanceTransaction>>;
}

export interface LedgerRepository extends LedgerReader {
  /**
   * Creates missing accounts, then locks the limited accounts in id order, after all other locks:
   * if two callers check one balance, the second waits. Postings do not wait for it.
   */
  lockBalance(owner: Owner, currency: string): Promise<CurrencyBalance>;
  /**
   * Takes up to `limit` pending balance transactions whose funds are due, skipping those that
   * another process holds, and marks them available in this transaction.
   * @param clock only those on this test clock. @defaultValue those on none
   */
  claimDueFunds(
    now: Date,
    limit: number,
    clock?: TestClockId,
  ): Promise<readonly BalanceTransaction[]>;
  /** When the next pending funds on a test clock are due, at `until` at the latest. */
  nextDueFunds(clock: TestClockId, until: Date): Promise<Date | undefined>;
  /** Posts for several owners in one statement, where nothing else changes. */
  post(postings: readonly OwnedPosting[]): Promise<void>;
  /**
   * Adds new postings to the stored balances of the next `limit` ledger accounts after `after`;
   * accounts that others have locked are skipped.
   * @returns where to continue; undefined at the end
   */
  fold(after: bigint, limit: number): Promise<bigint | undefined>;
}
