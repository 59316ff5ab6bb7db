import type { EventType } from '../../changes/events/event-types.ts';
import type { LedgerKind } from '../../ledger/ledger.ts';
import type { PayoutStatus } from './payout.ts';

// A payout is accepted under the lock of the balance: from then on its amount has left the balance.
// pending:    accepted and posted; a worker sends it shortly after, and until then it can be canceled
// in_transit: the processor accepted it, and has not handed it to the bank yet
// paid:       the money was handed to the bank; the bank may still return it
// failed:     rejected, or returned by the bank; the amount is back on the balance
// canceled:   withdrawn before it was sent, by request or because the operator stopped its account

export type PayoutTrigger =
  | 'accepted'
  | 'handed_over'
  | 'rejected'
  | 'returned'
  | 'withdrawn'
  | 'stopped';

export interface PayoutTransition {
  readonly from: readonly PayoutStatus[];
  readonly to: PayoutStatus;
  readonly event: EventType | null;
  readonly recipe: LedgerKind | null;
}

/** All transitions of a payout. */
export const PAYOUT_TRANSITIONS: Readonly<Record<PayoutTrigger, PayoutTransition>> = {
  accepted: { from: ['pending'], to: 'in_transit', event: null, recipe: null },
  handed_over: {
    from: ['pending', 'in_transit'],
    to: 'paid',
    event: 'payout.paid',
    recipe: 'payout_paid',
  },
  rejected: {
    from: ['pending', 'in_transit'],
    to: 'failed',
    event: 'payout.failed',
    recipe: 'payout_failed',
  },
  returned: { from: ['paid'], to: 'failed', event: 'payout.failed', recipe: 'payout_returned' },
  withdrawn: { from: ['pending'], to: 'canceled', event: null, recipe: 'payout_failed' },
  stopped: { from: ['pending'], to: 'canceled', event: null, recipe: 'payout_failed' },
};

/** Whether a payout in this status can take a transition. */
export function canTake(trigger: PayoutTrigger, status: PayoutStatus): boolean {
  return PAYOUT_TRANSITIONS[trigger].from.includes(status);
}
