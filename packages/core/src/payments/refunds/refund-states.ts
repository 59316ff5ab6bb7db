import type { EventType } from '../../changes/events/event-types.ts';
import type { LedgerKind } from '../../ledger/ledger.ts';
import type { RefundStatus } from './refund.ts';

// A refund is accepted under its charge's row lock: from then on it counts against the charge.
// pending: accepted and posted; the processor is being called
// succeeded: the processor confirmed
// failed:    rejected or returned; the amount is back on the charge and on the balance
// canceled:  withdrawn before it was sent

export type RefundTrigger = 'confirmed' | 'rejected' | 'returned' | 'withdrawn';

export interface RefundTransition {
  readonly from: RefundStatus;
  readonly to: RefundStatus;
  readonly event: EventType | null;
  readonly recipe: LedgerKind | null;
}

/** All transitions of a refund. */
export const REFUND_TRANSITIONS: Readonly<Record<RefundTrigger, RefundTransition>> = {
  confirmed: { from: 'pending', to: 'succeeded', event: 'charge.refunded', recipe: null },
  rejected: { from: 'pending', to: 'failed', event: null, recipe: 'refund_failure' },
  returned: { from: 'succeeded', to: 'failed', event: null, recipe: 'refund_failure' },
  withdrawn: { from: 'pending', to: 'canceled', event: null, recipe: 'refund_failure' },
};
