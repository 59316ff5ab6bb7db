import type { Change, Write } from '../changes/change.ts';
import type { CustomerId, PaymentMethodId } from '../kernel/basics/id.ts';
import type { BalanceTransaction, Posting } from '../ledger/ledger.ts';
import type { BankAccount } from './bank-accounts/bank-account.ts';
import type { Charge } from './charges/charge.ts';
import type { Customer } from './customers/customer.ts';
import type { Dispute } from './disputes/dispute.ts';
import type { StoredFile } from './files/file.ts';
import type { HookPayload } from './hook-payload.ts';
import type { Clocked } from './object-clock.ts';
import type { Operation } from './operations/operation.ts';
import type { OperationAnswer } from './operations/operation-answer.ts';
import type {
  MethodBlock,
  MethodCorrection,
  PaymentMethod,
  Token,
} from './payment-methods/payment-method.ts';
import type { Payout } from './payouts/payout.ts';
import type { Refund } from './refunds/refund.ts';
import type { TestClock } from './test-clocks/test-clock.ts';

/** Every kind of row that a change of payments writes. */
interface PaymentRows {
  readonly charge: Charge;
  readonly refund: Refund;
  readonly payout: Payout;
  readonly bank_account: BankAccount;
  readonly customer: Customer;
  readonly payment_method: PaymentMethod;
  readonly token: Token;
  readonly operation: Operation;
  readonly file: StoredFile;
  readonly dispute: Dispute;
  readonly test_clock: TestClock;
}

type WriteOf<Kind extends keyof PaymentRows> = Write<Kind, PaymentRows[Kind]>;

export type PaymentWrite = { [Kind in keyof PaymentRows]: WriteOf<Kind> }[keyof PaymentRows];

/**
 * The fields of a change of payments besides its rows. `clock`: a test clock that must show this time
 * at the commit; otherwise the change is `raced`. Its balance transactions are on this clock.
 */
export interface PaymentFacts extends Clocked {
  /**
   * A payment method that must still be attached to this customer at the commit; otherwise the
   * change is `raced`. A detachment waits for the change, or the change for it.
   */
  readonly attached?: { readonly methodId: PaymentMethodId; readonly customerId: CustomerId };
  /** Blocks a bank account, if it is not blocked yet. */
  readonly blocked?: { readonly methodId: PaymentMethodId; readonly block: MethodBlock };
  /**
   * Corrects the payment methods of a token, in all accounts of the environment: the cards that are
   * attached to a customer, and all bank accounts, whose number is sent with refunds too. Those that
   * have the new facts already stay as they are.
   */
  readonly corrected?: MethodCorrection;
  /** Detaches all payment methods of this customer, and deletes what they say about the person. */
  readonly detachedFrom?: CustomerId;
  readonly postings?: readonly Posting[];
  readonly balanceTransactions?: readonly BalanceTransaction[];
  /** The answers about an operation that a person must look at. */
  readonly operationAnswer?: OperationAnswer;
  /**
   * Runs the host's hook in this transaction. If the hook throws, nothing is written; the same if
   * this process has no hook while one is in use.
   */
  readonly settled?: HookPayload;
}

/**
 * The change that a service of payments commits. `deadlineAt` and `nextLookupAt` of an operation
 * are stored relative to the database's time, with the same distance as from `at`.
 */
export type PaymentChange = Change<PaymentWrite> & PaymentFacts;

/** The first row of a kind that a change writes. @returns undefined if there is none */
export function writtenRow<Kind extends keyof PaymentRows>(
  { writes }: PaymentChange,
  kind: Kind,
): PaymentRows[Kind] | undefined {
  const isOfKind = (write: PaymentWrite): write is PaymentWrite & WriteOf<Kind> =>
    write.kind === kind;
  return writes.find(isOfKind)?.row;
}
