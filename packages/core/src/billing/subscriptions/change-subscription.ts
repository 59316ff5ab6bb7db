import type { InvoiceId } from '../../kernel/basics/id.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { beginPeriod, beginTrial } from './begin-period.ts';
import { isCollected, isFree, toUnbilled } from './bill-period.ts';
import type { BillingCalendar } from './billing-calendar.ts';
import { type BillingDecision, edited, NOTHING_BILLED } from './billing-decision.ts';
import { moveTrial } from './move-trial.ts';
import { changesItems, creditItems, prorateItems, prorationTime } from './prorate-items.ts';
import {
  type ItemsChange,
  type NextItem,
  type ProrationBehavior,
  type Subscription,
  timeInPeriod,
  wholeSecond,
} from './subscription.ts';
import {
  assertInvoiceTotal,
  assertLive,
  assertPeriodRuns,
  assertTrialEnd,
  isUnpaid,
  unpaidError,
} from './subscription-rules.ts';

/** What is to change; what is absent stays. */
export interface SubscriptionChange {
  readonly items?: ItemsChange;
  readonly prorationBehavior: ProrationBehavior;
  /** The time that prorations are computed for; absent: now. */
  readonly prorationDate?: Date;
  readonly trialEnd?: Date | 'now';
  /** A new period begins now, and all periods from it on. */
  readonly isAnchoredNow?: true;
  /** The items change at the end of the current period. */
  readonly isAtPeriodEnd?: true;
  /** The change that waits for the end of the period is dropped. */
  readonly dropsPending?: true;
}

/**
 * Changes what is billed. Within a period, the change is prorated as `prorationBehavior` says; a new
 * interval, `billing_cycle_anchor=now` and `trial_end=now` begin a new period, which is invoiced now; a trial
 * of a running subscription gives back the rest of the period. In time that is not billed, a change costs
 * nothing: what somebody else may have billed for it is not known here. While invoices become void or uncollectible,
 * `always_invoice` writes nothing, as `none`: its credit would be lost; the credits of a new period then wait for the
 * next invoice.
 * @param invoiceId the id of the invoice, if the lines are invoiced now
 * @throws PaymountError `subscription_canceled`, `subscription_unpaid`, `subscription_paused`,
 *   `subscription_update_pending`, `subscription_renewal_due`, `proration_date_outside_period`,
 *   `trial_end_in_past`, `parameter_invalid`, `operation_in_progress` while a charge has no known outcome,
 *   `amount_too_large`
 */
export function changeSubscription(
  before: Subscription,
  change: SubscriptionChange,
  { at, invoiceId }: { readonly at: Date; readonly invoiceId: InvoiceId },
): BillingDecision {
  const now = timeInPeriod(before, at);
  assertLive(before);
  assertPeriodRuns(before, now);
  const subscription = change.dropsPending ? { ...before, pendingUpdate: null } : before;
  const { pendingUpdate } = subscription;
  if (change.isAtPeriodEnd && change.items !== undefined)
    return changedLater(subscription, change.items);
  if (change.items !== undefined && pendingUpdate !== null) {
    throw new PaymountError('subscription_update_pending', undefined, { param: 'items' });
  }
  const context: ChangeContext = { change, now, invoiceId };
  if (change.trialEnd instanceof Date) return withTrial(subscription, change.trialEnd, context);
  const endsTrial = change.trialEnd === 'now' && subscription.status === 'trialing';
  if (endsTrial || change.isAnchoredNow || needsNewPeriod(subscription, change.items)) {
    return withNewPeriod(subscription, endsTrial, context);
  }
  return change.items === undefined
    ? { ...NOTHING_BILLED, subscription: edited(subscription, {}), event: null }
    : withItems(subscription, change.items, context);
}

interface ChangeContext {
  readonly change: SubscriptionChange;
  readonly now: Date;
  readonly invoiceId: InvoiceId;
}

/** Replaces the change that waits for the end of the period. */
function changedLater(subscription: Subscription, items: ItemsChange): BillingDecision {
  const pendingUpdate = { ...items, appliesAt: subscription.period.end };
  return { ...NOTHING_BILLED, subscription: edited(subscription, { pendingUpdate }), event: null };
}

/** A new interval needs a new period. In a trial and in a pause nothing is billed yet. */
function needsNewPeriod(subscription: Subscription, items: ItemsChange | undefined): boolean {
  const { status, calendar } = subscription;
  if (items === undefined || status === 'trialing' || status === 'paused') return false;
  return items.interval !== calendar.interval || items.intervalCount !== calendar.intervalCount;
}

function withItems(
  subscription: Subscription,
  next: ItemsChange,
  { change, now, invoiceId }: ChangeContext,
): BillingDecision {
  const { status } = subscription;
  const { interval, intervalCount } = next;
  if (status === 'trialing' || status === 'paused') {
    const calendar = { ...subscription.calendar, interval, intervalCount };
    const facts = { items: next.items.map(toUnbilled), calendar };
    return { ...NOTHING_BILLED, subscription: edited(subscription, facts), event: null };
  }
  if (isFree(subscription)) {
    const items = next.items.map(toUnbilled);
    return { ...NOTHING_BILLED, subscription: edited(subscription, { items }), event: null };
  }
  const isInvoiceLost = change.prorationBehavior === 'always_invoice' && !isCollected(subscription);
  const behavior = isInvoiceLost ? 'none' : change.prorationBehavior;
  const at = prorationTime(subscription, change.prorationDate, now);
  if (behavior !== 'none' && changesItems(subscription, next.items)) assertPaid(subscription);
  const { items, lines } = prorateItems(subscription, next.items, { behavior, at });
  const isNow = behavior === 'always_invoice' && lines.length > 0;
  if (isNow) assertInvoiceTotal(lines);
  return {
    ...NOTHING_BILLED,
    subscription: edited(subscription, { items, ...(isNow && { latestInvoiceId: invoiceId }) }),
    event: null,
    lines,
    invoicing: lines.length === 0 ? 'none' : isNow ? 'now' : 'next',
  };
}

function withNewPeriod(
  subscription: Subscription,
  endsTrial: boolean,
  { change, now, invoiceId }: ChangeContext,
): BillingDecision {
  const { status } = subscription;
  if (status === 'paused') throw pausedError('billing_cycle_anchor');
  if (status === 'trialing' && !endsTrial) {
    const message = 'The periods of a trial begin at its end; send trial_end=now to end it.';
    throw new PaymountError('parameter_invalid', message, { param: 'billing_cycle_anchor' });
  }
  assertPaidForNewPeriod(subscription);
  const at = newPeriodTime(subscription, change, now);
  const { items, calendar } = nextItemsOf(subscription, change.items);
  const isCredited = !endsTrial && change.prorationBehavior !== 'none';
  const { trial } = subscription;
  return beginPeriod(subscription, {
    at,
    invoiceId,
    items,
    calendar: { ...calendar, anchor: at },
    credits: isCredited ? creditItems(subscription, at) : [],
    trigger: 'period_begun',
    facts: {
      freeUntil: null,
      ...(endsTrial && trial !== null && { trial: { ...trial, end: at } }),
    },
  });
}

function withTrial(
  subscription: Subscription,
  given: Date,
  { change, now, invoiceId }: ChangeContext,
): BillingDecision {
  const { status } = subscription;
  const trialEnd = wholeSecond(given);
  assertTrialEnd(trialEnd, now);
  if (status === 'paused') throw pausedError('trial_end');
  const { items, calendar } = nextItemsOf(subscription, change.items);
  if (status === 'trialing') return moveTrial(subscription, { trialEnd, items: change.items });
  assertPaidForNewPeriod(subscription);
  const at = newPeriodTime(subscription, change, now);
  const isNow = change.prorationBehavior === 'always_invoice';
  return beginTrial(subscription, {
    at,
    trialEnd,
    items,
    calendar: { ...calendar, anchor: trialEnd },
    credits: change.prorationBehavior === 'none' ? [] : creditItems(subscription, at),
    invoiceId: isNow ? invoiceId : null,
  });
}

/** What the next period bills: the items of the change, or those that wait for the end of this one. */
export function nextItemsOf(
  { items, calendar, pendingUpdate }: Subscription,
  change: ItemsChange | undefined = pendingUpdate ?? undefined,
): { readonly items: readonly NextItem[]; readonly calendar: BillingCalendar } {
  if (change === undefined) return { items, calendar };
  const { interval, intervalCount } = change;
  return { items: change.items, calendar: { ...calendar, interval, intervalCount } };
}

/** When a new period begins: now, or when a preview showed it to begin. */
function newPeriodTime(subscription: Subscription, change: SubscriptionChange, now: Date): Date {
  const at = prorationTime(subscription, change.prorationDate, now);
  if (at <= now) return at;
  const message = 'A new period cannot begin in the future; leave proration_date out.';
  throw new PaymountError('proration_date_outside_period', message, { param: 'proration_date' });
}

/** @throws PaymountError `subscription_unpaid`, `operation_in_progress` */
function assertPaid(subscription: Subscription): void {
  assertOutcomeKnown(subscription);
  if (!isUnpaid(subscription)) return;
  const cures = 'Pay it, void it, or send proration_behavior=none.';
  throw unpaidError(subscription, cures, 'proration_behavior');
}

/** @throws PaymountError `subscription_unpaid`, `operation_in_progress` */
function assertPaidForNewPeriod(subscription: Subscription): void {
  assertOutcomeKnown(subscription);
  if (!isUnpaid(subscription)) return;
  const cures = 'Pay it or void it before a new period begins.';
  throw unpaidError(subscription, cures, 'items');
}

function assertOutcomeKnown({ id, chargingInvoiceId }: Subscription): void {
  if (chargingInvoiceId === null) return;
  const message = `The charge of invoice ${chargingInvoiceId} of subscription ${id} has no known outcome yet; try again later.`;
  throw new PaymountError('operation_in_progress', message);
}

function pausedError(param: string): PaymountError {
  return new PaymountError('subscription_paused', undefined, { param });
}
