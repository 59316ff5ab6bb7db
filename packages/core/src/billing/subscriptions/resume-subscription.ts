import type { InvoiceId } from '../../kernel/basics/id.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { beginPeriod } from './begin-period.ts';
import type { BillingDecision } from './billing-decision.ts';
import { periodFrom } from './billing-period.ts';
import { nextItemsOf } from './change-subscription.ts';
import { type ProrationBehavior, type Subscription, wholeSecond } from './subscription.ts';
import { assertLive } from './subscription-rules.ts';

/** How a paused subscription continues. */
export interface Resumption {
  /** `now`: periods begin now; `unchanged`: they keep their boundaries, and the first one is a part. */
  readonly anchor: 'now' | 'unchanged';
  /** `none`: that part is free. */
  readonly prorationBehavior: ProrationBehavior;
}

/**
 * Ends a pause, and bills the period that begins. The time of the pause belongs to the period before, and is
 * not billed.
 * @throws PaymountError `subscription_canceled`, `subscription_not_paused`, `amount_too_large`
 */
export function resumeSubscription(
  subscription: Subscription,
  { anchor, prorationBehavior }: Resumption,
  { at: given, invoiceId }: { readonly at: Date; readonly invoiceId: InvoiceId },
): BillingDecision {
  assertLive(subscription);
  const { id, status } = subscription;
  if (status !== 'paused') {
    const message = `Subscription ${id} is ${status}, not paused. To collect money again, send an empty pause_collection.`;
    throw new PaymountError('subscription_not_paused', message);
  }
  const at = wholeSecond(given);
  const { items, calendar: next } = nextItemsOf(subscription);
  const { interval, intervalCount } = subscription.calendar;
  const isSame = next.interval === interval && next.intervalCount === intervalCount;
  const calendar = anchor === 'now' || !isSame ? { ...next, anchor: at } : next;
  const { start, fullStart, end } = periodFrom(calendar, at, { index: 0, until: null });
  const isFree = prorationBehavior === 'none' && fullStart < start;
  return beginPeriod(subscription, {
    at,
    invoiceId,
    items,
    calendar,
    credits: [],
    trigger: 'resumed',
    facts: { freeUntil: isFree ? end : null },
  });
}
