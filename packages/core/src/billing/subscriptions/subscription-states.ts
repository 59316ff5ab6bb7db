import type { EventType } from '../../changes/events/event-types.ts';
import type { SubscriptionStatus } from './subscription.ts';

// A subscription whose first invoice asks for money begins as `incomplete`.
// incomplete:         the first invoice is not paid yet; it expires after 23 hours
// incomplete_expired: the first invoice was not paid in time, or was given up
// trialing:           nothing is billed until the trial ends
// active:             the invoice of the current period is paid, or its payment is under way
// past_due:           an invoice was not paid; attempts follow as the class of the failure says
// unpaid:             the attempts ended, and the account keeps such subscriptions; no period is billed
// paused:             the trial ended without a payment method; no period is billed
// canceled:           it ended; nothing is due any more

export type SubscriptionTrigger =
  | 'first_paid'
  | 'first_paid_in_trial'
  | 'first_unpaid'
  | 'trial_begun'
  | 'period_begun'
  | 'renewal_paid'
  | 'renewal_failed'
  | 'invoice_failed'
  | 'retry_failed'
  | 'recovered'
  | 'settled'
  | 'left_unpaid'
  | 'given_up'
  | 'paused'
  | 'resumed'
  | 'canceled';

export interface SubscriptionTransition {
  readonly from: readonly SubscriptionStatus[];
  readonly to: SubscriptionStatus;
  readonly event: EventType | null;
}

/** All transitions of a subscription. */
export const SUBSCRIPTION_TRANSITIONS: Readonly<
  Record<SubscriptionTrigger, SubscriptionTransition>
> = {
  first_paid: { from: ['incomplete'], to: 'active', event: 'subscription.created' },
  first_paid_in_trial: { from: ['incomplete'], to: 'trialing', event: 'subscription.created' },
  first_unpaid: { from: ['incomplete'], to: 'incomplete_expired', event: null },
  trial_begun: { from: ['active'], to: 'trialing', event: null },
  period_begun: { from: ['trialing', 'active'], to: 'active', event: null },
  renewal_paid: { from: ['active'], to: 'active', event: 'subscription.renewed' },
  renewal_failed: { from: ['active'], to: 'past_due', event: 'subscription.payment_failed' },
  // `renewed` or `payment_failed` was recorded for the period before: one of them for each period.
  invoice_failed: { from: ['active'], to: 'past_due', event: null },
  retry_failed: { from: ['past_due'], to: 'past_due', event: null },
  recovered: { from: ['past_due', 'unpaid'], to: 'active', event: 'subscription.recovered' },
  // The invoice became void, or its failure was not announced.
  settled: { from: ['past_due', 'unpaid'], to: 'active', event: null },
  left_unpaid: { from: ['past_due'], to: 'unpaid', event: null },
  given_up: { from: ['past_due'], to: 'canceled', event: 'subscription.canceled' },
  paused: { from: ['trialing'], to: 'paused', event: null },
  resumed: { from: ['paused'], to: 'active', event: null },
  canceled: {
    from: ['trialing', 'active', 'past_due', 'unpaid', 'paused'],
    to: 'canceled',
    event: 'subscription.canceled',
  },
};

/** Whether a subscription in this status can take a transition. */
export function canTake(trigger: SubscriptionTrigger, status: SubscriptionStatus): boolean {
  return SUBSCRIPTION_TRANSITIONS[trigger].from.includes(status);
}
