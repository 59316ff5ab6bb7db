import type { ChangeRepository } from '../../changes/change-repository.ts';
import {
  NotSentError,
  type OperationKind,
  type Outcome,
  type Processor,
  type ProcessorOperation,
} from '../processor/processor.ts';
import type { Clocked } from '../test-clocks/object-clock.ts';
import type { Operation } from './operation.ts';
import type { OperationChange, SubjectChange } from './operation-change.ts';
import type { OperationRepository } from './operation-repository.ts';
import type { CallResult } from './outcome.ts';

/** The facts of a request that its operation knows; the subject adds the others. */
export interface SentFacts
  extends Pick<
    ProcessorOperation,
    'operationId' | 'attempt' | 'amount' | 'currency' | 'reference' | 'livemode' | 'deadline'
  > {
  readonly kind: OperationKind;
}

/** What an operation is about, as far as sending and settling it needs to know. */
export interface Subject<Of extends SubjectChange = SubjectChange> {
  /** Whether texts of the processor about it may have the number of a bank account. */
  readonly isOfBankAccount: boolean;
  /**
   * Whether it failed after its operation was approved: a look-up may say `declined` from then on.
   * @defaultValue false
   */
  readonly isReturned?: boolean;
  /** Sends it. @throws NotSentError if it was certainly not sent */
  send(processor: Processor, sent: SentFacts): Promise<Outcome>;
  /**
   * Whether a person may settle it as approved for less than was requested.
   * @defaultValue no
   */
  mayBeLess?(operation: Operation): boolean;
  /**
   * What a person's refusal of it says; undefined if only that the processor refused it.
   * @defaultValue only that
   */
  refusal?(operation: Operation): Refusal | undefined;
  /**
   * The change instead of sending it, if it must not be sent any more; undefined if it may be sent.
   * @defaultValue it may be sent
   */
  withhold?(operation: Operation, at: Date): Of | undefined;
  /**
   * Before which time it must not be sent; undefined if it may be sent now.
   * @defaultValue it may be sent
   */
  heldUntil?(at: Date): Date | undefined;
  /** The whole result as one change: object, operation, ledger, event, stored answer. */
  conclude(operation: Operation, result: CallResult, at: Date): Of;
}

/** A committed intent that is to be sent, with its object if the caller has it in hand. */
export interface ToSend {
  readonly operation: Operation;
  readonly subject?: Subject;
}

/** Why something was refused. */
export type Refusal = Pick<
  Extract<Outcome, { outcome: 'declined' }>,
  'code' | 'declineCode' | 'message'
>;

/** A transaction that has locked the root of an operation. */
export interface LockedOperation<Of extends SubjectChange> {
  readonly operations: OperationRepository;
  readonly changes: ChangeRepository<Of | OperationChange>;
  /** Reads the subject in this transaction. Throws if it does not exist, which is a bug. */
  load(operation: Operation): Promise<Subject<Of>>;
}

/** What a processor gets about the test clock of an object. */
export function toTestClock({ clock }: Clocked): Pick<ProcessorOperation, 'testClock'> {
  return clock === undefined ? {} : { testClock: { id: clock.id, now: clock.now } };
}

/**
 * A key service may have taken as long to open a number as the processor had to answer.
 * @throws NotSentError
 */
export function assertInTime({ deadline }: SentFacts): void {
  if (deadline.aborted) throw new NotSentError('The deadline had passed before the request.');
}

/** The outcome is then unknown: an earlier version of the adapter may have executed it. */
export function notSendable({ name }: Processor, { kind, operationId }: SentFacts): Error {
  return new Error(`The processor ${name} cannot execute the ${kind} ${operationId}.`);
}
