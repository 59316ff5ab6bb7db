import type { EventType } from '../../changes/events/event-types.ts';
import type { LedgerKind } from '../../ledger/ledger.ts';
import type { DisputeStatus } from './dispute.ts';

// A dispute begins as an alert or as a chargeback; a chargeback takes the money at once.
// warning_needs_response: an alert; refunding the charge avoids the chargeback
// prevented:      the charge was refunded in full while the alert was open. Processors may open the
//                 chargeback all the same; the refund is then the evidence against it
// warning_closed: the alert ended without a chargeback
// needs_response: a chargeback; evidence is accepted until it is due. It stays so after that if the
//                 adapter takes no answers: it may have been answered at the processor
// under_review:   the evidence was submitted; the issuer decides
// won:            the issuer decided for the merchant, and the money is back
// lost:           the money is gone: by a ruling, accepted, not answered in time, or not contestable.
//                 The issuer has the last word about what was accepted or not answered here
// A ruling may be reversed: each time the dispute enters its next round (pre-arbitration, arbitration).

export type DisputeTrigger =
  | 'alert'
  | 'refunded'
  | 'alert_ended'
  | 'chargeback'
  | 'submitted'
  | 'accepted'
  | 'expired'
  | 'not_contestable'
  | 'ruled_won'
  | 'ruled_lost'
  | 'reopened'
  | 'win_reversed';

export interface DisputeTransition {
  /** `new`: the dispute is created by it. */
  readonly from: readonly (DisputeStatus | 'new')[];
  readonly to: DisputeStatus;
  readonly event: EventType | null;
  readonly recipe: LedgerKind | null;
}

/**
 * All transitions of a dispute. A ruling may come before the answer to the submission of evidence. A later
 * ruling may reverse an earlier one, in a later round: `dispute-rounds.ts` has the conditions. A round
 * books under kinds of its own, and `reopened` only if the money was back.
 */
export const DISPUTE_TRANSITIONS: Readonly<Record<DisputeTrigger, DisputeTransition>> = {
  alert: {
    from: ['new'],
    to: 'warning_needs_response',
    event: 'dispute.alert',
    recipe: null,
  },
  refunded: { from: ['warning_needs_response'], to: 'prevented', event: null, recipe: null },
  alert_ended: {
    from: ['warning_needs_response'],
    to: 'warning_closed',
    event: null,
    recipe: null,
  },
  chargeback: {
    from: ['new', 'warning_needs_response', 'warning_closed', 'prevented'],
    to: 'needs_response',
    event: 'dispute.created',
    recipe: 'dispute',
  },
  submitted: { from: ['needs_response'], to: 'under_review', event: null, recipe: null },
  accepted: { from: ['needs_response'], to: 'lost', event: 'dispute.lost', recipe: null },
  expired: { from: ['needs_response'], to: 'lost', event: 'dispute.lost', recipe: null },
  not_contestable: { from: ['needs_response'], to: 'lost', event: 'dispute.lost', recipe: null },
  ruled_won: {
    from: ['under_review', 'needs_response', 'lost'],
    to: 'won',
    event: 'dispute.won',
    recipe: 'dispute_won',
  },
  ruled_lost: {
    from: ['under_review', 'needs_response'],
    to: 'lost',
    event: 'dispute.lost',
    recipe: null,
  },
  reopened: {
    from: ['won', 'lost', 'needs_response', 'under_review'],
    to: 'needs_response',
    event: 'dispute.created',
    recipe: 'dispute',
  },
  win_reversed: { from: ['won'], to: 'lost', event: 'dispute.lost', recipe: 'dispute' },
};

/** Whether a trigger may move a dispute in this state. */
export function isAllowed(trigger: DisputeTrigger, from: DisputeStatus | 'new'): boolean {
  return DISPUTE_TRANSITIONS[trigger].from.includes(from);
}
