import { toUnbilled } from './bill-period.ts';
import { boundary } from './billing-calendar.ts';
import { type BillingDecision, edited, NOTHING_BILLED } from './billing-decision.ts';
import type { ItemsChange, Subscription } from './subscription.ts';

/**
 * Lets a trial end earlier or later. Nothing is billed; the periods begin at the new end, unless an anchor
 * that was given is still within one interval after it.
 */
export function moveTrial(
  subscription: Subscription,
  { trialEnd, items }: { readonly trialEnd: Date; readonly items: ItemsChange | undefined },
): BillingDecision {
  const { period, pendingUpdate, trial } = subscription;
  const { interval, intervalCount } = items ?? subscription.calendar;
  const calendar = { ...subscription.calendar, interval, intervalCount };
  const isOwnAnchor = calendar.anchor > period.end;
  const latest = boundary({ ...calendar, anchor: trialEnd }, 1);
  const keepsAnchor = isOwnAnchor && calendar.anchor > trialEnd && calendar.anchor <= latest;
  const next = {
    items: (items?.items ?? subscription.items).map(toUnbilled),
    calendar: keepsAnchor ? calendar : { ...calendar, anchor: trialEnd },
    freeUntil: keepsAnchor ? subscription.freeUntil : null,
    period: { ...period, end: trialEnd, billedUntil: trialEnd },
    trial: { start: trial?.start ?? period.start, end: trialEnd },
    pendingUpdate: pendingUpdate && { ...pendingUpdate, appliesAt: trialEnd },
  };
  return {
    ...NOTHING_BILLED,
    subscription: edited(subscription, next),
    event: null,
    movedEnd: { index: period.index, end: trialEnd },
  };
}
