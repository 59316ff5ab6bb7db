import type { InvoiceId } from '../../kernel/basics/id.ts';
import { beginPeriod } from './begin-period.ts';
import { type BillingDecision, edited, moved, NOTHING_BILLED } from './billing-decision.ts';
import { ended } from './cancel-subscription.ts';
import { nextItemsOf } from './change-subscription.ts';
import { nextActionOf } from './next-action.ts';
import type { Subscription } from './subscription.ts';

/**
 * Begins the period after the last one, if that is over and nothing else is due before: a run that is early
 * or is repeated decides nothing, and a late one bills the oldest period that is missing. A change that waits
 * is applied first. A trial without a payment method ends as the subscription says.
 * @param canPay there is a payment method, or the invoice is sent to the customer
 * @returns null if no period is to begin
 * @throws PaymountError `amount_too_large`
 */
export function renewSubscription(
  subscription: Subscription,
  {
    at,
    invoiceId,
    canPay,
  }: { readonly at: Date; readonly invoiceId: InvoiceId; readonly canPay: boolean },
): BillingDecision | null {
  const { status, period, trialEndBehavior } = subscription;
  const action = nextActionOf(subscription);
  if (action?.kind !== 'renew' || action.at > at) return null;
  if (status === 'trialing' && !canPay) {
    if (trialEndBehavior === 'pause') return paused(subscription);
    if (trialEndBehavior === 'cancel') {
      return { ...NOTHING_BILLED, ...ended(subscription, { at: period.end, reason: null }) };
    }
  }
  const { items, calendar } = nextItemsOf(subscription);
  const { interval, intervalCount } = subscription.calendar;
  const isSame = calendar.interval === interval && calendar.intervalCount === intervalCount;
  return beginPeriod(subscription, {
    at: period.end,
    invoiceId,
    items,
    calendar: isSame ? calendar : { ...calendar, anchor: period.end },
    credits: [],
    trigger: 'period_begun',
  });
}

/** Whether another period is over by now, so the one that just began is not the last to be billed. */
export function isBehind(subscription: Subscription, at: Date): boolean {
  const action = nextActionOf(subscription);
  return action?.kind === 'renew' && action.at <= at;
}

/** Money is collected again from now on. */
export function collectionResumed(subscription: Subscription): Subscription {
  return edited(subscription, { pauseCollection: null });
}

function paused(subscription: Subscription): BillingDecision {
  const { end } = subscription.period;
  return {
    ...NOTHING_BILLED,
    ...moved(subscription, 'paused', { state: { status: 'paused', pausedAt: end } }),
  };
}
