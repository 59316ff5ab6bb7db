import type { Owner } from '../../kernel/basics/environment.ts';
import type { Id, OperationId, RequestId, TestClockId } from '../../kernel/basics/id.ts';
import type { OperationKind, Outcome } from '../processor/processor.ts';

/**
 * One request to a processor, written before it is sent and kept forever.
 *
 * - `created`: the intent is committed in a host's transaction, and not sent yet
 * - `sent`: a process is sending it, or died while sending
 * - `unknown`: it was sent and no answer came; the resolver asks the processor
 * - `done`: the outcome is recorded on the object
 * - `failed`: certainly not executed
 * - `quarantined`: contradictory, never answered, or put off again and again: a person settles it
 */
export const OPERATION_STATES = [
  'created',
  'sent',
  'unknown',
  'done',
  'failed',
  'quarantined',
] as const;
export type OperationState = (typeof OPERATION_STATES)[number];

/** What is certain about an operation: `not_sent` is one that never left. */
type KnownResult = Outcome | { readonly outcome: 'not_sent' };

export interface Operation extends Owner {
  readonly id: OperationId;
  readonly version: number;
  readonly kind: OperationKind;
  /** What it is about. */
  readonly subjectId: Id<string>;
  /**
   * The object whose row is locked to record its result; `subjectId` may be a part of it.
   * @defaultValue `subjectId`
   */
  readonly rootId?: Id<string>;
  /** The test clock of its object. @defaultValue none */
  readonly testClockId?: TestClockId;
  readonly processor: string;
  /** Submissions so far. */
  readonly attempt: number;
  readonly amount: number;
  readonly currency: string;
  readonly state: OperationState;
  /** After this time the outcome counts as unknown. In the database's time, like the next field. */
  readonly deadlineAt: Date;
  readonly nextLookupAt?: Date;
  /** When the processor promised to know, at its last answer. */
  readonly expectedBy?: Date;
  /** Look-ups without a result, those included whose promise the processor has put off. */
  readonly lookups: number;
  /** The number of consecutive look-ups in which the processor did not know it. */
  readonly notFounds: number;
  readonly processorReference?: string;
  /** What is recorded of it; while it is unresolved, what waits for the hook. */
  readonly outcome?: KnownResult;
  /**
   * Since when a person must look at it: it is quarantined, or was answered after it was closed. While
   * it is `created` or `unknown`: since when its withdrawal or its outcome waits for the hook.
   */
  readonly reviewSince?: Date;
  /** The claim whose stored answer its result writes. */
  readonly idempotencyKey?: string;
  /** What that answer shows, for areas above payments. @defaultValue what the operation is about */
  readonly answers?: string;
  readonly requestId: RequestId;
  readonly created: Date;
}
