import type { Change } from '../../changes/change.ts';
import type { LedgerFacts } from '../../ledger/ledger.ts';
import type { BankAccountWrite } from '../bank-accounts/bank-account-storage.ts';
import type { ChargeWrite } from '../charges/charge-storage.ts';
import type { CustomerWrite } from '../customers/customer-storage.ts';
import type { DisputeWrite } from '../disputes/dispute-storage.ts';
import type { FileWrite } from '../files/file-storage.ts';
import type { OperationFacts, OperationWrite } from '../operations/operation-change.ts';
import type {
  PaymentMethodEffects,
  PaymentMethodWrite,
} from '../payment-methods/payment-method-storage.ts';
import type { PayoutWrite } from '../payouts/payout-storage.ts';
import type { RefundWrite } from '../refunds/refund-storage.ts';
import type { Clocked } from '../test-clocks/object-clock.ts';
import type { TestClockWrite } from '../test-clocks/test-clock-storage.ts';
import type { PaymentResult } from './payment-result.ts';

/** Every row that a change of payments writes. */
export type PaymentWrite =
  | ChargeWrite
  | RefundWrite
  | PayoutWrite
  | BankAccountWrite
  | CustomerWrite
  | PaymentMethodWrite
  | OperationWrite
  | FileWrite
  | DisputeWrite
  | TestClockWrite;

/**
 * The fields of a change of payments besides its rows. `clock`: a test clock that must show this time
 * at the commit; otherwise the change is `raced`. Its balance transactions are on this clock.
 */
export interface PaymentFacts extends Clocked, PaymentMethodEffects, LedgerFacts, OperationFacts {
  /**
   * Runs the host's hook in this transaction. If the hook throws, nothing is written; the same if
   * this process has no hook while one is in use.
   */
  readonly settled?: PaymentResult;
  /** Runs it once more, after that. */
  readonly alsoSettled?: PaymentResult;
}

/**
 * Every change that a slice of payments commits: its own has these rows and fields, as far as it uses
 * them. `deadlineAt` and `nextLookupAt` of an operation are stored relative to the database's time, with
 * the same distance as from `at`.
 */
export type PaymentChange = Change<PaymentWrite> & PaymentFacts;
