import type { OperationId } from '../../kernel/basics/id.ts';
import type { Fee } from '../../ledger/recipes.ts';
import {
  type DebitedDispute,
  type Dispute,
  type DisputeFacts,
  isAnswerToAlert,
  type LostReason,
  nextFacts,
  type OpenDispute,
} from './dispute.ts';
import { creditDispute, debitDispute } from './dispute-booking.ts';
import type { Moved } from './dispute-change.ts';

/** Takes the money, and begins the time to answer. @param facts with the version of the new row */
export function chargeback(facts: DisputeFacts, fee: Fee, at: Date): Moved {
  const { debit, booked } = debitDispute(facts, fee, at);
  return { trigger: 'chargeback', dispute: { ...facts, status: 'needs_response', debit }, booked };
}

/** The money stays away. */
export function lost(dispute: OpenDispute, closedReason: LostReason): Moved {
  const { debit } = dispute;
  const trigger = closedReason === 'ruling' ? 'ruled_lost' : closedReason;
  const facts = closedReason === 'expired' ? pastDue(dispute) : nextFacts(dispute);
  return { trigger, dispute: { ...facts, status: 'lost', debit, closedReason } };
}

/** The facts of a chargeback after its time has passed without an answer of ours. */
export function pastDue(dispute: OpenDispute): DisputeFacts {
  return { ...nextFacts(dispute), pastDue: true };
}

/** The money comes back. */
export function won(dispute: DebitedDispute, at: Date): Moved {
  const facts = nextFacts(dispute);
  const { credit, booked } = creditDispute(facts, at);
  const { debit } = dispute;
  return { trigger: 'ruled_won', dispute: { ...facts, status: 'won', debit, credit }, booked };
}

/** The evidence is at the issuer, which decides. That about an alert changes no status. */
export function submitted(dispute: Dispute, operationId: OperationId): Dispute {
  const facts = { ...nextFacts(dispute), submissionCount: dispute.submissionCount + 1 };
  if (dispute.status !== 'needs_response' || isAnswerToAlert(dispute, operationId)) {
    return { ...dispute, ...facts };
  }
  return { ...facts, status: 'under_review', debit: dispute.debit };
}

/** The charge was refunded in full while the alert was open. */
export function prevented(dispute: Dispute): Moved {
  return { trigger: 'refunded', dispute: { ...nextFacts(dispute), status: 'prevented' } };
}

/** The alert ended without a chargeback. */
export function alertEnded(dispute: Dispute): Moved {
  return { trigger: 'alert_ended', dispute: { ...nextFacts(dispute), status: 'warning_closed' } };
}
