// Double entry: postings, balances, funds that become available.
// It imports the kernel and changes. Start at `recipes.ts`.

export { releaseFunds } from './availability.ts';
export {
  BalanceResource,
  BalanceTransactionResource,
  balanceTransactionTypes,
  toBalanceResource,
  toBalanceTransactionResource,
} from './balance-resource.ts';
export { BalanceService } from './balance-service.ts';
export type { Difference, VerifyOptions, VerifyPlan, VerifyProgress } from './difference.ts';
export {
  DISPUTE_KINDS,
  DISPUTE_ROUNDS,
  DISPUTE_WON_KINDS,
  type DisputeRound,
} from './dispute-kinds.ts';
export { foldBalances } from './fold-balances.ts';
export {
  BALANCE_TRANSACTION_TYPES,
  type BalanceTransaction,
  type CurrencyBalance,
  type LedgerCode,
  type LedgerEntry,
  type LedgerKind,
  type OwnedPosting,
  type Posting,
} from './ledger.ts';
export type { BalanceTransactionFilter, LedgerRepository } from './ledger-repository.ts';
export { bookAvailability, bookCapture, bookRefund } from './recipes.ts';
