import type { OperationId } from '../../kernel/basics/id.ts';
import type { DisputeRound } from '../../ledger/dispute-kinds.ts';
import type { Fee } from '../../ledger/recipes.ts';
import {
  type Chargeback,
  type DebitedDispute,
  type Dispute,
  type DisputeFacts,
  isEarlierAnswer,
  type LostReason,
  nextFacts,
  type OpenDispute,
} from './dispute.ts';
import { creditDispute, debitDispute } from './dispute-booking.ts';
import type { Moved } from './dispute-change.ts';

/** The fee is taken once, with the chargeback. */
const NO_FEE: Fee = { amount: 0, details: [] };

/** When the issuer ruled, if its processor has told that, and which round that ended. */
export interface Ruled {
  readonly round: DisputeRound;
  readonly ruledAt?: Date;
}

/** Takes the money, and begins the time to answer. @param facts with the version of the new row */
export function chargeback(
  facts: DisputeFacts,
  fee: Fee,
  at: Date,
): Moved & { dispute: OpenDispute } {
  const { debit, booked } = debitDispute(facts, fee, at);
  return { trigger: 'chargeback', dispute: { ...facts, status: 'needs_response', debit }, booked };
}

/**
 * A later round begins: the time to answer starts again, and the money is taken again if it was back.
 * @param facts in the new round, with the version of the new row
 */
export function reopened(
  dispute: Chargeback,
  facts: DisputeFacts,
  at: Date,
): Moved & { dispute: OpenDispute } {
  const { debit, booked, earlier } = takenAgain(dispute, facts, at);
  const row = { ...facts, earlier, status: 'needs_response', debit } as const;
  return { trigger: 'reopened', dispute: row, ...(booked && { booked }) };
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

/** The issuer ruled against the merchant; what it had given back before is taken again. */
export function ruledLost(
  dispute: OpenDispute | Extract<Chargeback, { status: 'won' }>,
  ruled: Ruled,
  at: Date,
): Moved {
  const facts = ruledFacts(dispute, ruled);
  const { debit, booked, earlier } = takenAgain(dispute, facts, at);
  return {
    trigger: dispute.status === 'won' ? 'win_reversed' : 'ruled_lost',
    dispute: { ...facts, earlier, status: 'lost', debit, closedReason: 'ruling' },
    ...(booked && { booked }),
  };
}

/** The money comes back. */
export function ruledWon(dispute: DebitedDispute, ruled: Ruled, at: Date): Moved {
  const facts = ruledFacts(dispute, ruled);
  const { credit, booked } = creditDispute(facts, ruled.round, at);
  const { debit } = dispute;
  return { trigger: 'ruled_won', dispute: { ...facts, status: 'won', debit, credit }, booked };
}

/** The issuer ruled as the dispute has ended already: about the same round, or a later one. */
export function ruledAgain(
  dispute: Extract<Chargeback, { status: 'won' | 'lost' }>,
  ruled: Ruled,
): Dispute {
  const facts = ruledFacts(dispute, ruled);
  const { debit } = dispute;
  if (dispute.status === 'won') return { ...facts, status: 'won', debit, credit: dispute.credit };
  const isFinal = dispute.closedReason === 'not_contestable' && dispute.round === ruled.round;
  const closedReason = isFinal ? 'not_contestable' : 'ruling';
  return { ...facts, status: 'lost', debit, closedReason };
}

/** The evidence is at the issuer, which decides. That of an earlier round changes no status. */
export function submitted(dispute: Dispute, operationId: OperationId): Dispute {
  const facts = { ...nextFacts(dispute), submissionCount: dispute.submissionCount + 1 };
  if (dispute.status !== 'needs_response' || isEarlierAnswer(dispute, operationId)) {
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

/** The facts after a ruling. What a person records has no time, so that it makes no notice outdated. */
function ruledFacts(dispute: Dispute, ruled: Ruled): DisputeFacts {
  const { ruledAt: _earlier, ...facts } = nextFacts(dispute);
  return { ...facts, ...ruled };
}

/** The debit of a round that takes the money: the one before it, unless that was given back. */
function takenAgain(dispute: Chargeback, facts: DisputeFacts, at: Date) {
  const { earlier } = dispute;
  if (dispute.status !== 'won') return { debit: dispute.debit, booked: undefined, earlier };
  const { debit, credit } = dispute;
  return { ...debitDispute(facts, NO_FEE, at), earlier: [...earlier, { debit, credit }] };
}
