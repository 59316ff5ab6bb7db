import type { Owner } from '../shared/environment.ts';
import type { ChargeId, OperationId, RefundId, RequestId } from '../shared/id.ts';
import type { Outcome } from './processor.ts';

export type OperationKind = 'authorize' | 'capture' | 'cancel' | 'refund';

/**
 * One request to a processor, written before it is made and kept for ever.
 *
 * - `created`: the intent is committed in a host's transaction, nobody has sent it yet
 * - `sent`: somebody is sending it, or died doing so
 * - `unknown`: it was sent and no answer came; the resolver asks the processor
 * - `done`: the outcome is recorded on the subject
 * - `failed`: certainly not executed
 * - `quarantined`: contradictory, waits for an admin
 */
export type OperationState = 'created' | 'sent' | 'unknown' | 'done' | 'failed' | 'quarantined';

export interface Operation extends Owner {
  readonly id: OperationId;
  readonly version: number;
  readonly kind: OperationKind;
  readonly subjectId: ChargeId | RefundId;
  /** The charge whose row is locked to settle it; equal to `subjectId` but for refunds. */
  readonly chargeId: ChargeId;
  readonly processor: string;
  /** Submissions so far. */
  readonly attempt: number;
  readonly amount: number;
  readonly currency: string;
  readonly state: OperationState;
  /** After it the outcome counts as unknown. By the database's time, as is the next. */
  readonly deadlineAt: Date;
  readonly nextLookupAt?: Date;
  readonly lookups: number;
  /** How often in a row the processor knew nothing of it. */
  readonly notFounds: number;
  readonly processorReference?: string;
  readonly outcome?: Outcome;
  /** The claim whose stored answer the settlement writes. */
  readonly idempotencyKey?: string;
  readonly requestId: RequestId;
  readonly created: Date;
}
