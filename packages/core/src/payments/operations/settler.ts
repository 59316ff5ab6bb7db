import type { PaymentChange } from '../payment-change.ts';
import type { PaymentReaders } from '../payment-storage.ts';
import type { Operation, OperationKind } from './operation.ts';
import type { CallResult } from './outcome.ts';
import type { ProcessorOperation } from './processor.ts';

/** What only the subject knows of a request to the processor. */
export type SubjectFacts = Pick<
  ProcessorOperation,
  'paymentMethod' | 'previous' | 'metadata' | 'capture'
>;

/** An operation with its subject in hand. */
export interface Prepared {
  readonly request: SubjectFacts;
  /** The whole result as one change: subject, operation, ledger, event, stored answer. */
  conclude(operation: Operation, result: CallResult, at: Date): PaymentChange;
}

/** Where a subject is read: anywhere, or in the transaction that has locked it. */
export type SubjectReaders = Pick<PaymentReaders, 'charges' | 'refunds' | 'ledger'>;

/** How one kind of operation finds its subject. Throws when the subject is gone: a bug. */
export type Settler = (operation: Operation, read: SubjectReaders) => Promise<Prepared>;

export type Settlers = Readonly<Record<OperationKind, Settler>>;
