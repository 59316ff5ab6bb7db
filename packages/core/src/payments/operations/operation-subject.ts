import type { PaymentMethodId } from '../../kernel/basics/id.ts';
import type { Clocked } from '../object-clock.ts';
import type { PaymentChange } from '../payment-change.ts';
import type { PaymentReaders } from '../payment-storage.ts';
import type { Operation, OperationKind } from './operation.ts';
import type { CallResult } from './outcome.ts';
import type {
  BankDestination,
  Outcome,
  PayoutOperation,
  Processor,
  ProcessorOperation,
} from './processor.ts';

/** The facts of a request about a charge that only its object knows. */
export interface SubjectFacts
  extends Pick<
    ProcessorOperation,
    | 'paymentMethod'
    | 'previous'
    | 'metadata'
    | 'capture'
    | 'offSession'
    | 'statementDescriptor'
    | 'testClock'
  > {
  readonly debits?: DebitedMethod;
}

/** Of a bank debit: the payment method, whose number is opened only to send it, and its holder. */
export interface DebitedMethod {
  readonly paymentMethodId: PaymentMethodId;
  readonly accountHolderName: string | null;
}

/** The facts of a payout. Its account number is opened only to send it. */
export interface PayoutRequest
  extends Pick<PayoutOperation, 'metadata' | 'statementDescriptor' | 'testClock'> {
  /** @throws PaymountError `unavailable` if the sealing keys cannot be reached right now */
  readonly openDestination: () => Promise<BankDestination>;
}

/** The facts of a request that only its operation knows. */
export interface SentFacts extends Omit<ProcessorOperation, keyof SubjectFacts> {
  readonly kind: OperationKind;
}

/** An operation with its object. */
export interface Subject {
  readonly request: SubjectFacts | PayoutRequest;
  /**
   * Sends it, if it is neither about a payment nor a payout.
   * @defaultValue the method of the adapter that is named as the kind
   */
  readonly send?: (processor: Processor, sent: SentFacts) => Promise<Outcome>;
  /**
   * Whether the object is on a test clock, which may advance during a call: it is read again before
   * its result is recorded.
   */
  readonly isOnClock: boolean;
  /**
   * Whether it failed after its operation was approved: a look-up may say `declined` from then on.
   * @defaultValue false
   */
  readonly isReturned?: boolean;
  /**
   * The change instead of sending it, if it must not be sent any more; undefined if it may be sent.
   * @defaultValue it may be sent
   */
  readonly withhold?: (operation: Operation, at: Date) => PaymentChange | undefined;
  /** The whole result as one change: object, operation, ledger, event, stored answer. */
  conclude(operation: Operation, result: CallResult, at: Date): PaymentChange;
}

/** Whether the bank account of somebody is debited, refunded or paid: texts about it may have its number. */
export function isOfBankAccount({ request }: Pick<Subject, 'request'>): boolean {
  return 'openDestination' in request || request.debits !== undefined;
}

/** What a processor gets about the test clock of an object. */
export function toTestClock({ clock }: Clocked): Pick<ProcessorOperation, 'testClock'> {
  return clock === undefined ? {} : { testClock: { id: clock.id, now: clock.now } };
}

/** Where an object is read: anywhere, or in the transaction that has locked it. */
export type SubjectReaders = Pick<
  PaymentReaders,
  | 'charges'
  | 'refunds'
  | 'payouts'
  | 'bankAccounts'
  | 'payoutAccounts'
  | 'disputes'
  | 'files'
  | 'ledger'
>;

/**
 * How one kind of operation loads its object. Throws if the object does not exist, which is a bug.
 */
export type SubjectLoader = (operation: Operation, read: SubjectReaders) => Promise<Subject>;

export type SubjectLoaders = Readonly<Record<OperationKind, SubjectLoader>>;
