import type { EventType } from '../../changes/events/event-types.ts';
import type { LedgerKind } from '../../ledger/ledger.ts';
import type { ChargeStatus } from './charge.ts';

// A charge is written as `pending` before the processor is called.
// pending: the intent is committed; the outcome is not known yet, or a bank debit awaits clearing
// authorized: the issuer holds the amount; no money has moved
// succeeded:  the money moved; refunds and disputes act on it from here
// failed:     declined, blocked, never executed, returned by a bank, or the authorization expired
// canceled:   the authorization was released by request

export type ChargeTrigger =
  | 'sale_approved'
  | 'authorization_approved'
  | 'declined'
  | 'debit_submitted'
  | 'debit_cleared'
  | 'debit_refused'
  | 'capture'
  | 'cancel'
  | 'authorization_expired';

export interface ChargeTransition {
  readonly from: ChargeStatus;
  readonly to: ChargeStatus;
  readonly event: EventType | null;
  readonly recipe: LedgerKind | null;
}

/** All transitions of a charge. */
export const CHARGE_TRANSITIONS: Readonly<Record<ChargeTrigger, ChargeTransition>> = {
  sale_approved: {
    from: 'pending',
    to: 'succeeded',
    event: 'charge.succeeded',
    recipe: 'capture',
  },
  authorization_approved: { from: 'pending', to: 'authorized', event: null, recipe: null },
  declined: { from: 'pending', to: 'failed', event: 'charge.failed', recipe: null },
  debit_submitted: { from: 'pending', to: 'pending', event: 'charge.pending', recipe: null },
  debit_cleared: {
    from: 'pending',
    to: 'succeeded',
    event: 'charge.succeeded',
    recipe: 'capture',
  },
  debit_refused: { from: 'pending', to: 'failed', event: 'charge.failed', recipe: null },
  capture: { from: 'authorized', to: 'succeeded', event: 'charge.captured', recipe: 'capture' },
  cancel: { from: 'authorized', to: 'canceled', event: null, recipe: null },
  authorization_expired: { from: 'authorized', to: 'failed', event: 'charge.failed', recipe: null },
};
