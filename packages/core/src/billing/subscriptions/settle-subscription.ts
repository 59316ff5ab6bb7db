import type { InvoiceId } from '../../kernel/basics/id.ts';
import { toUnbilled } from './bill-period.ts';
import { type BillingDecision, edited, moved, NOTHING_BILLED } from './billing-decision.ts';
import { periodFrom } from './billing-period.ts';
import { firstUnpaid } from './cancel-subscription.ts';
import { type Subscription, type SubscriptionFacts, wholeSecond } from './subscription.ts';
import { type BilledBefore, unbilledBy } from './voided-time.ts';

/**
 * An invoice became void: what it billed counts as not billed. What it asked for is not due any more, so a
 * subscription that was not paid because of it is active again; without its first invoice it expires. Items
 * that wait for the next invoice because of changes to that time are to be dropped with it.
 */
export function invoiceVoided(
  subscription: Subscription,
  { id, before, at }: { readonly id: InvoiceId; readonly before: BilledBefore; readonly at: Date },
): BillingDecision {
  const facts = { ...withOutcome(subscription, id), ...unbilledBy(subscription, before) };
  return notAwaited(subscription, id, { facts, at });
}

/**
 * An invoice is not expected to be paid, so the subscription does not wait for it, as for one that became void.
 * Its time gives nothing back unless it is paid after all.
 */
export function invoiceUncollectible(
  subscription: Subscription,
  { id, at }: { readonly id: InvoiceId; readonly at: Date },
): BillingDecision {
  return notAwaited(subscription, id, { facts: withOutcome(subscription, id), at });
}

function notAwaited(
  subscription: Subscription,
  id: InvoiceId,
  how: { readonly facts: Partial<SubscriptionFacts>; readonly at: Date },
): BillingDecision {
  if (subscription.status === 'incomplete') {
    return { ...NOTHING_BILLED, ...firstUnpaid(subscription, wholeSecond(how.at)) };
  }
  const isInDunning = 'dunning' in subscription && subscription.dunning.invoiceId === id;
  return isInDunning ? forgiven(subscription, how) : unmoved(subscription, how.facts);
}

/** Nothing is owed any more. After a time in which it was left unpaid, periods begin again from now on. */
export function collected(
  subscription: Subscription,
  trigger: 'recovered' | 'settled',
  { facts, at: given }: { readonly facts: Partial<SubscriptionFacts>; readonly at: Date },
): BillingDecision {
  const at = wholeSecond(given);
  const { period, calendar } = subscription;
  if (!isLeftBehind(subscription, at)) return activeAgain(subscription, trigger, facts);
  return activeAgain(subscription, trigger, {
    ...facts,
    period: { ...period, end: at, billedUntil: at },
    calendar: { ...calendar, anchor: at },
  });
}

/**
 * What was owed is forgiven. The time in which the subscription was left unpaid is not billed, nor is the rest
 * of the interval in which it is now: the period lasts up to the next boundary.
 */
function forgiven(
  subscription: Subscription,
  { facts, at: given }: { readonly facts: Partial<SubscriptionFacts>; readonly at: Date },
): BillingDecision {
  const at = wholeSecond(given);
  const { period, calendar, cancelAt } = subscription;
  if (!isLeftBehind(subscription, at)) return activeAgain(subscription, 'settled', facts);
  // At a boundary the next period begins at once.
  const before = new Date(at.getTime() - 1);
  const last = periodFrom(calendar, before, { index: period.index, until: cancelAt });
  return activeAgain(subscription, 'settled', {
    ...facts,
    period: { ...last, start: period.start },
    items: subscription.items.map(toUnbilled),
  });
}

/** Whether a subscription was left unpaid beyond its period. */
function isLeftBehind({ status, period }: Subscription, at: Date): boolean {
  return status === 'unpaid' && at > period.end;
}

/** @param facts with another end of the period, if it moves */
function activeAgain(
  subscription: Subscription,
  trigger: 'recovered' | 'settled',
  facts: Partial<SubscriptionFacts>,
): BillingDecision {
  const { period: before, pendingUpdate } = subscription;
  const { end } = facts.period ?? before;
  const isMoved = end > before.end;
  const pending = pendingUpdate && { ...pendingUpdate, appliesAt: end };
  const moving = isMoved ? { ...facts, pendingUpdate: pending } : facts;
  return {
    ...NOTHING_BILLED,
    ...moved(subscription, trigger, { facts: moving, state: { status: 'active' } }),
    movedEnd: isMoved ? { index: before.index, end } : null,
  };
}

/** The outcome of the charge of an invoice is known. */
export function withOutcome(
  { chargingInvoiceId }: Subscription,
  id: InvoiceId,
): Partial<SubscriptionFacts> {
  return chargingInvoiceId === id ? { chargingInvoiceId: null } : {};
}

/** The subscription with other facts, in its state. */
export function unmoved(
  subscription: Subscription,
  facts: Partial<SubscriptionFacts>,
): BillingDecision {
  return { ...NOTHING_BILLED, subscription: edited(subscription, facts), event: null };
}
