import type { InvoiceId } from '../../kernel/basics/id.ts';
import type { BillingSettings } from '../billing-settings/billing-settings.ts';
import { type BillingDecision, edited, moved, NOTHING_BILLED } from './billing-decision.ts';
import { ended } from './cancel-subscription.ts';
import { begun } from './create-subscription.ts';
import {
  declineClassOf,
  type FailedAttempt,
  GIVE_UP_DAYS,
  RETRY_DAYS,
  withForbidden,
} from './decline-class.ts';
import { collected, unmoved, withOutcome } from './settle-subscription.ts';
import {
  type Dunning,
  type Subscription,
  type SubscriptionFacts,
  wholeSecond,
} from './subscription.ts';
import { SUBSCRIPTION_TRANSITIONS } from './subscription-states.ts';

const DAY_MS = 86_400_000;

/** What is done with a subscription that was not paid until the end. */
export type Exhausted = BillingSettings['afterLastAttempt'];

/** An invoice of a subscription, and the period that it bills. */
export interface InvoiceOfPeriod {
  readonly id: InvoiceId;
  /** Null: it bills a change within a period. */
  readonly periodIndex: number | null;
  /** The subscription began with it, so its payment renews nothing. @defaultValue false */
  readonly isFirst?: boolean;
  /** `payment_failed` was recorded for its period, so `renewed` is not. @defaultValue false */
  readonly isFailureAnnounced?: boolean;
  /** Only requests pay it: it is sent, or is not expected to be paid. @defaultValue it is charged automatically */
  readonly isOnRequest?: boolean;
}

/** A charge of an invoice was sent. Until its outcome is known, time does nothing to the subscription. */
export function chargeSent(subscription: Subscription, invoiceId: InvoiceId): Subscription {
  return edited(subscription, { chargingInvoiceId: invoiceId });
}

/**
 * A bank debit was submitted. It counts as paid until it returns, but renews nothing before it clears. While
 * one is on its way for an invoice that was not paid, nothing else is due of the subscription.
 */
export function debitSubmitted(subscription: Subscription, invoiceId: InvoiceId): BillingDecision {
  const isRetry = 'dunning' in subscription && subscription.dunning.invoiceId === invoiceId;
  const answered = isRetry ? {} : withOutcome(subscription, invoiceId);
  return subscription.status === 'incomplete'
    ? { ...NOTHING_BILLED, ...begun(subscription, answered) }
    : unmoved(subscription, answered);
}

/**
 * An invoice was paid, asked for nothing, or was paid out of band.
 * @returns null if the subscription is over: the money is given back
 */
export function invoicePaid(
  subscription: Subscription,
  invoice: InvoiceOfPeriod,
  at: Date,
): BillingDecision | null {
  const { id } = invoice;
  const facts = withOutcome(subscription, id);
  const renewedIndex = renewedBy(invoice);
  switch (subscription.status) {
    case 'incomplete_expired':
    case 'canceled':
      return null;
    case 'incomplete':
      return { ...NOTHING_BILLED, ...begun(subscription, facts) };
    case 'past_due':
    case 'unpaid': {
      const { invoiceId, isAnnounced } = subscription.dunning;
      if (invoiceId !== id) return renewalPaid(subscription, renewedIndex, facts);
      if (isAnnounced) return collected(subscription, 'recovered', { facts, at });
      return withRenewal(collected(subscription, 'settled', { facts, at }), renewedIndex);
    }
    case 'active':
      return renewalPaid(subscription, renewedIndex, facts);
    case 'trialing':
    case 'paused': {
      const isEarlier = renewedIndex !== null && renewedIndex < subscription.period.index;
      return renewalPaid(subscription, isEarlier ? renewedIndex : null, facts);
    }
  }
}

/** The period that the payment of an invoice renews; null: none. */
function renewedBy({ periodIndex, isFirst, isFailureAnnounced }: InvoiceOfPeriod): number | null {
  return isFirst === true || isFailureAnnounced === true ? null : periodIndex;
}

function renewalPaid(
  subscription: Subscription,
  periodIndex: number | null,
  facts: Partial<SubscriptionFacts>,
): BillingDecision {
  return withRenewal(unmoved(subscription, facts), periodIndex);
}

/**
 * The invoice of a period was paid: `renewed` is recorded for it, once, and also while another invoice is not
 * paid.
 * @param periodIndex null: nothing was renewed by it
 */
function withRenewal<Decision extends Pick<BillingDecision, 'subscription' | 'event'>>(
  decision: Decision,
  periodIndex: number | null,
): Decision {
  const { subscription } = decision;
  const { announcedIndex } = subscription;
  if (periodIndex === null || periodIndex === announcedIndex) return decision;
  const announced = { announcedIndex: Math.max(periodIndex, announcedIndex ?? 0) };
  return {
    ...decision,
    subscription: edited(subscription, announced),
    event: SUBSCRIPTION_TRANSITIONS.renewal_paid.event,
  };
}

/** An attempt to collect an invoice that failed. */
export interface CollectionFailure {
  readonly invoice: InvoiceOfPeriod;
  /** Null: there was no payment method. */
  readonly failure: FailedAttempt | null;
  /** The attempt was due; false: it was asked for, and uses up none of the schedule. */
  readonly isScheduled: boolean;
  /**
   * It was asked for with another payment method than the schedule tries, so it says nothing about when that
   * one is tried. @defaultValue false
   */
  readonly isOtherMethod?: boolean;
  /** The card that was tried, as `cardKey` names it. @defaultValue none was */
  readonly card?: string | null;
  readonly exhausted: Exhausted;
  readonly at: Date;
}

/**
 * An invoice was not paid. The first time the subscription becomes `past_due`; the next attempt follows from
 * the class of the failure. The attempt on the last day of the schedule ends collection. For an invoice that
 * only requests pay, nothing follows.
 */
export function collectionFailed(
  subscription: Subscription,
  {
    invoice,
    failure,
    isScheduled,
    isOtherMethod,
    card = null,
    exhausted,
    at: given,
  }: CollectionFailure,
): BillingDecision {
  const at = wholeSecond(given);
  const facts = withOutcome(subscription, invoice.id);
  const { status, period, announcedIndex } = subscription;
  const declineClass = declineClassOf(failure);
  const lastFailureCode = failure === null ? null : (failure.declineCode ?? failure.code);
  if (status === 'active') {
    if (invoice.isOnRequest === true) return unmoved(subscription, facts);
    const index = invoice.periodIndex ?? period.index;
    const isAnnounced = index !== announcedIndex;
    const dunning: Dunning = {
      invoiceId: invoice.id,
      attempt: 1,
      failedAt: at,
      nextAttemptAt: nextAttempt(declineClass, at, at),
      givesUpAt: daysAfter(at, GIVE_UP_DAYS),
      declineClass,
      lastFailureCode,
      isAnnounced,
      isExtra: false,
      ...withForbidden(undefined, declineClass, card),
    };
    const state = { status: 'past_due', dunning } as const;
    const trigger = isAnnounced ? 'renewal_failed' : 'invoice_failed';
    const announced = isAnnounced ? { announcedIndex: Math.max(index, announcedIndex ?? 0) } : {};
    return {
      ...NOTHING_BILLED,
      ...moved(subscription, trigger, { facts: { ...facts, ...announced }, state }),
    };
  }
  if (status !== 'past_due' || subscription.dunning.invoiceId !== invoice.id) {
    return unmoved(subscription, facts);
  }
  const { dunning } = subscription;
  const forbidden = withForbidden(dunning.forbidden, declineClass, card);
  if (isOtherMethod === true) {
    const state = { status: 'past_due', dunning: { ...dunning, ...forbidden } } as const;
    return { ...NOTHING_BILLED, ...moved(subscription, 'retry_failed', { facts, state }) };
  }
  const isCounted = isScheduled && !dunning.isExtra;
  const next: Dunning = {
    ...dunning,
    attempt: dunning.attempt + (isCounted ? 1 : 0),
    nextAttemptAt: nextAttempt(declineClass, dunning.failedAt, at),
    declineClass,
    lastFailureCode,
    isExtra: false,
    ...forbidden,
  };
  const state = { status: 'past_due', dunning: next } as const;
  const retried = moved(subscription, 'retry_failed', { facts, state });
  if (at < dunning.givesUpAt) return { ...NOTHING_BILLED, ...retried };
  // One decision is one version.
  return exhaust({ ...retried.subscription, version: subscription.version }, exhausted, at);
}

/**
 * After one invoice that was not paid, another one is collected: the subscription stays `past_due`. `recovered` is
 * recorded for the last one that is paid, and `renewed` for those before it.
 * @param decision about the invoice before
 * @param how `dunning`: of that one; `paid`: itself, if it was paid
 */
export function collectedNext(
  decision: BillingDecision,
  invoiceId: InvoiceId,
  how: { readonly dunning: Dunning; readonly paid?: InvoiceOfPeriod; readonly at: Date },
): BillingDecision {
  const { dunning, paid } = how;
  const now = wholeSecond(how.at);
  const next: Dunning = {
    ...dunning,
    invoiceId,
    attempt: 1,
    failedAt: now,
    nextAttemptAt: now,
    givesUpAt: daysAfter(now, GIVE_UP_DAYS),
    isExtra: false,
  };
  const state = { status: 'past_due', dunning: next } as const;
  const { subscription } = moved(decision.subscription, 'invoice_failed', { state });
  const isEarly = decision.event === SUBSCRIPTION_TRANSITIONS.recovered.event;
  const event = isEarly ? null : decision.event;
  const after = { ...decision, subscription, event };
  return paid === undefined ? after : withRenewal(after, renewedBy(paid));
}

/** The invoice is not to be collected any more, so no attempt is made before collection ends. */
export function attemptsEnded(subscription: Subscription): Subscription {
  if (subscription.status !== 'past_due') return subscription;
  const dunning = { ...subscription.dunning, nextAttemptAt: null, isExtra: false };
  const state = { status: 'past_due', dunning } as const;
  return moved(subscription, 'retry_failed', { state }).subscription;
}

/** Another payment method is there: the open invoice is attempted at once, besides the schedule. */
export function retriedNow(subscription: Subscription, at: Date): Subscription {
  if (subscription.status !== 'past_due') return subscription;
  const dunning = { ...subscription.dunning, nextAttemptAt: wholeSecond(at), isExtra: true };
  const state = { status: 'past_due', dunning } as const;
  return moved(subscription, 'retry_failed', { state }).subscription;
}

/** Ends collection on its last day. @returns null if it is not due, or something else is due before */
export function giveUp(
  subscription: Subscription,
  { at, exhausted }: { readonly at: Date; readonly exhausted: Exhausted },
): BillingDecision | null {
  if (subscription.status !== 'past_due' || subscription.chargingInvoiceId !== null) return null;
  const { givesUpAt, nextAttemptAt } = subscription.dunning;
  if (at < givesUpAt || (nextAttemptAt !== null && nextAttemptAt <= givesUpAt)) return null;
  return exhaust(subscription, exhausted, wholeSecond(at));
}

function exhaust(subscription: Subscription, exhausted: Exhausted, at: Date): BillingDecision {
  if (subscription.status !== 'past_due')
    throw new RangeError('Only a subscription that is past due can be given up.');
  if (exhausted === 'cancel') {
    const end = ended(subscription, { at, reason: 'payment_failed', trigger: 'given_up' });
    return { ...NOTHING_BILLED, ...end };
  }
  const dunning = { ...subscription.dunning, nextAttemptAt: null };
  const state = { status: 'unpaid', dunning } as const;
  return { ...NOTHING_BILLED, ...moved(subscription, 'left_unpaid', { state }) };
}

/** The first day of the schedule that is still to come; null: none is. */
function nextAttempt(declineClass: Dunning['declineClass'], failedAt: Date, at: Date): Date | null {
  const days = RETRY_DAYS[declineClass].map((day) => daysAfter(failedAt, day));
  return days.find((day) => day > at) ?? null;
}

function daysAfter(at: Date, days: number): Date {
  return new Date(at.getTime() + days * DAY_MS);
}
