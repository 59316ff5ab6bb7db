import type { InvoiceId } from '../../kernel/basics/id.ts';
import { toUnbilled } from './bill-period.ts';
import {
  type Billed,
  type BillingDecision,
  edited,
  moved,
  NOTHING_BILLED,
} from './billing-decision.ts';
import { nextActionOf } from './next-action.ts';
import { creditItems, extendItems, type ProratedItems } from './prorate-items.ts';
import type { CancellationDetails, ProrationBehavior, Subscription } from './subscription.ts';
import { timeInPeriod, wholeSecond } from './subscription.ts';
import {
  assertCancelAt,
  assertLive,
  assertPeriodRuns,
  isUnpaid,
  unpaidError,
} from './subscription-rules.ts';

/** How a subscription ends now. */
export interface Cancellation {
  /** The time that was billed and is not used is given back. */
  readonly isProrated: boolean;
  /** What waits for the next invoice is invoiced now; what is open stays open. */
  readonly isInvoicedNow: boolean;
  /** What the customer said; null: nothing. */
  readonly details: Partial<Pick<CancellationDetails, 'comment' | 'feedback'>>;
  /** @defaultValue `cancellation_requested` */
  readonly reason?: CancellationDetails['reason'];
}

/** An end, and what is done with the invoices that are open: after an end nothing is collected. */
export interface EndDecision extends BillingDecision {
  readonly openInvoices: 'void' | 'keep';
}

/**
 * Ends a subscription now. One whose first invoice is not paid expires, without an event. In a trial nothing
 * is billed. `invoicing` is `now` for `isInvoicedNow`, also if there are no lines: what waits is invoiced.
 * @throws PaymountError `subscription_canceled`, `subscription_unpaid` if unpaid time is to be given back
 */
export function cancelSubscription(
  subscription: Subscription,
  { isProrated, isInvoicedNow, details, reason = 'cancellation_requested' }: Cancellation,
  at: Date,
): EndDecision {
  const now = timeInPeriod(subscription, at);
  assertLive(subscription);
  const { status } = subscription;
  if (isProrated && isUnpaid(subscription)) {
    const isCharging = subscription.chargingInvoiceId !== null;
    const cure = isCharging
      ? 'Try again when the outcome of its charge is known'
      : 'Pay it, void it';
    throw unpaidError(subscription, `${cure}, or send prorate=false.`, 'prorate');
  }
  const openInvoices = isInvoicedNow ? 'keep' : 'void';
  if (status === 'incomplete') {
    return { ...NOTHING_BILLED, ...firstUnpaid(subscription, now), openInvoices: 'void' };
  }
  const lines = isProrated ? creditItems(subscription, now) : [];
  const isNow = isInvoicedNow && status !== 'trialing';
  return {
    ...NOTHING_BILLED,
    ...ended(subscription, { at: now, reason, details }),
    lines,
    invoicing: isNow ? 'now' : lines.length === 0 ? 'none' : 'next',
    openInvoices,
  };
}

/**
 * Ends a subscription whose scheduled end has come, at that time. An end within a period gives back the rest
 * of what was paid, as was said when it was scheduled.
 * @param paid as `paidOf` returns
 * @returns null if it is not due, or something else is due before
 */
export function cancelDue(
  subscription: Subscription,
  paid: Subscription,
  at: Date,
): EndDecision | null {
  const action = nextActionOf(subscription);
  if (action?.kind !== 'cancel' || action.at > at) return null;
  const { cancelProration: behavior } = subscription;
  const lines = behavior === 'none' ? [] : creditItems(paid, action.at);
  return {
    ...NOTHING_BILLED,
    ...ended(subscription, { at: action.at, reason: 'cancellation_requested' }),
    lines,
    invoicing: lines.length === 0 ? 'none' : behavior === 'always_invoice' ? 'now' : 'next',
    openInvoices: 'void',
  };
}

/** When a subscription is to end. */
export interface ScheduledEnd {
  /** Null: the time that was set is dropped. */
  readonly cancelAt?: Date | null;
  readonly isAtPeriodEnd?: boolean;
  /** What happens to unused time then. */
  readonly prorationBehavior: ProrationBehavior;
  readonly details?: Partial<Pick<CancellationDetails, 'comment' | 'feedback'>>;
}

/**
 * Schedules the end of a subscription, or drops it. The period in which it ends is billed up to that time;
 * time that was left out for an earlier end is billed when the end moves.
 * @param invoiceId the id of the invoice, if that time is invoiced now
 * @throws PaymountError `subscription_canceled`, `cancel_at_in_past`, `subscription_renewal_due`
 */
export function scheduleCancellation(
  subscription: Subscription,
  { cancelAt: given, isAtPeriodEnd, prorationBehavior: behavior, details = {} }: ScheduledEnd,
  { at, invoiceId }: { readonly at: Date; readonly invoiceId: InvoiceId },
): BillingDecision {
  assertLive(subscription);
  const now = timeInPeriod(subscription, at);
  assertPeriodRuns(subscription, now);
  const { period, cancellation } = subscription;
  const cancelAtPeriodEnd = isAtPeriodEnd ?? (given ? false : subscription.cancelAtPeriodEnd);
  const kept = cancelAtPeriodEnd ? null : subscription.cancelAt;
  const cancelAt = given === undefined ? kept : given && wholeSecond(given);
  if (given) assertCancelAt(wholeSecond(given), now);
  const isScheduled = cancelAt !== null || cancelAtPeriodEnd;
  const { items, lines, invoicing, billedUntil } = extended(subscription, cancelAt, behavior);
  const facts = {
    cancelAt,
    cancelAtPeriodEnd,
    cancelProration: behavior,
    canceledAt: isScheduled ? now : null,
    cancellation: {
      ...cancellation,
      ...details,
      reason: isScheduled ? ('cancellation_requested' as const) : null,
    },
    items,
    period: { ...period, billedUntil },
    ...(invoicing === 'now' && { latestInvoiceId: invoiceId }),
  };
  return {
    ...NOTHING_BILLED,
    subscription: edited(subscription, facts),
    event: null,
    lines,
    invoicing,
  };
}

/** The lines for time of the current period that was left out for an earlier end. */
function extended(
  subscription: Subscription,
  cancelAt: Date | null,
  behavior: ProrationBehavior,
): ProratedItems & Pick<Billed, 'invoicing'> & { readonly billedUntil: Date } {
  const { end, billedUntil } = subscription.period;
  const until = cancelAt !== null && cancelAt < end ? cancelAt : end;
  if (until <= billedUntil || behavior === 'none') {
    return { items: subscription.items, lines: [], invoicing: 'none', billedUntil };
  }
  const { items, lines } = extendItems(subscription, until);
  const isNow = behavior === 'always_invoice';
  const invoicing = lines.length === 0 ? 'none' : isNow ? 'now' : 'next';
  return { items, lines, invoicing, billedUntil: until };
}

/**
 * The subscription after its end. What was billed was given back or not: it gives nothing back any more.
 * @param reason null: the end of a trial without a payment method
 */
export function ended(
  subscription: Subscription,
  {
    at,
    reason,
    details = {},
    trigger = 'canceled',
  }: {
    readonly at: Date;
    readonly reason: CancellationDetails['reason'];
    readonly details?: Partial<Pick<CancellationDetails, 'comment' | 'feedback'>>;
    readonly trigger?: 'canceled' | 'given_up';
  },
): Pick<BillingDecision, 'subscription' | 'event'> {
  const { items, canceledAt, cancellation } = subscription;
  return moved(subscription, trigger, {
    facts: {
      items: items.map(toUnbilled),
      pendingUpdate: null,
      chargingInvoiceId: null,
      canceledAt: canceledAt ?? at,
      cancellation: { ...cancellation, ...details, reason },
    },
    state: { status: 'canceled', endedAt: at },
  });
}

/** The subscription after its first invoice was not paid. */
export function firstUnpaid(
  subscription: Subscription,
  at: Date,
): Pick<BillingDecision, 'subscription' | 'event'> {
  return moved(subscription, 'first_unpaid', {
    facts: {
      items: subscription.items.map(toUnbilled),
      pendingUpdate: null,
      chargingInvoiceId: null,
    },
    state: { status: 'incomplete_expired', endedAt: at },
  });
}

/** @returns null if the first invoice may still be paid */
export function expireIncomplete(subscription: Subscription, at: Date): EndDecision | null {
  const action = nextActionOf(subscription);
  if (action?.kind !== 'expire' || action.at > at) return null;
  return { ...NOTHING_BILLED, ...firstUnpaid(subscription, action.at), openInvoices: 'void' };
}
