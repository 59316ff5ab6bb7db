import type { Owner } from '../../kernel/basics/environment.ts';
import type {
  CustomerId,
  InvoiceId,
  PaymentMethodId,
  PriceId,
  SubscriptionId,
  SubscriptionItemId,
} from '../../kernel/basics/id.ts';
import type { Maker } from '../../kernel/callers/maker.ts';
import type { Clocked } from '../../payments/test-clocks/object-clock.ts';
import type { Failing } from '../failing.ts';
import type { Interval } from '../prices/price.ts';
import type { BillingCalendar } from './billing-calendar.ts';
import type { DeclineClass } from './decline-class.ts';

/** The most items of one subscription. */
export const MAX_ITEMS = 20;
/** The most units of one item. */
export const MAX_QUANTITY = 999_999;

/** What is sold: a copy of a price, whose amount never changes, and how many units of it. */
export interface PricedItem {
  readonly priceId: PriceId;
  /** The name of the product when the item got this price, as lines show it. */
  readonly name: string;
  /** Minor units, for one unit and one full period. */
  readonly unitAmount: number;
  readonly quantity: number;
}

/** What was billed for the rest of the current period. */
export interface BilledTime extends PricedItem {
  /** From when on it was billed. Credits begin here at the earliest. */
  readonly since: Date;
  /**
   * What was billed from a later time on: time that was left out for an end which moved, after the price or the
   * quantity had changed without prorations. @defaultValue the same, as far as the period is billed
   */
  readonly later?: BilledTime;
}

/** One item of a subscription. All of them have the currency and the interval of the subscription. */
export interface SubscriptionItem extends PricedItem {
  readonly id: SubscriptionItemId;
  readonly created: Date;
  readonly metadata: Readonly<Record<string, string>>;
  /** Null: nothing was billed for this time: a trial, free time, or an invoice that became void. */
  readonly billed: BilledTime | null;
}

/** The items that a subscription is to have, before it is known what is billed for them. */
export type NextItem = Omit<SubscriptionItem, 'billed'>;

/** The period in which a subscription is. */
export interface CurrentPeriod {
  /** 0 for the first one, a trial or a stub included. */
  readonly index: number;
  readonly start: Date;
  readonly end: Date;
  /** The beginning of the full interval that ends with this period; costs are parts of it. */
  readonly fullStart: Date;
  /** Up to when it is billed: the end, or an earlier cancellation. */
  readonly billedUntil: Date;
}

/** The items that a subscription is to have, all of them, and their interval. */
export interface ItemsChange {
  readonly items: readonly NextItem[];
  readonly interval: Interval;
  readonly intervalCount: number;
}

/** A change of items that waits for the end of the current period. */
export interface PendingUpdate extends ItemsChange {
  /** The end of the current period; it moves with it. */
  readonly appliesAt: Date;
}

/** What happens to invoices while no money is collected. */
export interface PauseCollection {
  readonly behavior: 'void' | 'keep_as_draft' | 'mark_uncollectible';
  readonly resumesAt: Date | null;
}

/** Whether lines of a change wait for the next invoice, are invoiced now, or are not written. */
export type ProrationBehavior = 'create_prorations' | 'always_invoice' | 'none';

export interface CancellationDetails {
  readonly reason: 'cancellation_requested' | 'payment_failed' | 'payment_disputed' | null;
  readonly comment: string | null;
  readonly feedback: CancellationFeedback | null;
}

/** Why a customer left, in the words of the official SDKs. */
export const FEEDBACKS = [
  'customer_service',
  'low_quality',
  'missing_features',
  'other',
  'switched_service',
  'too_complex',
  'too_expensive',
  'unused',
] as const;
export type CancellationFeedback = (typeof FEEDBACKS)[number];

/** The attempts to collect an invoice that was not paid. */
export interface Dunning {
  readonly invoiceId: InvoiceId;
  /** Attempts of the schedule that were made; the first is the one that failed. */
  readonly attempt: number;
  /** When the first attempt failed; the days of the schedule count from here. */
  readonly failedAt: Date;
  /** Null: only a new payment method, or a request to pay, makes another attempt. */
  readonly nextAttemptAt: Date | null;
  /** When collection ends. */
  readonly givesUpAt: Date;
  readonly declineClass: DeclineClass;
  /** Null: there was no payment method. */
  readonly lastFailureCode: string | null;
  /** `subscription.payment_failed` was recorded for it, so `subscription.recovered` may follow. */
  readonly isAnnounced: boolean;
  /** The next attempt is for a new payment method, and uses up none of the schedule. */
  readonly isExtra: boolean;
  /**
   * The cards, as `cardKey` names them, of which the issuer forbade further attempts: the worker tries none of them
   * again. @defaultValue none
   */
  readonly forbidden?: readonly string[];
}

/** The fields that a caller may change at any time, and that change no amount. */
export interface SubscriptionSettings {
  readonly collectionMethod: 'charge_automatically' | 'send_invoice';
  /** Of `send_invoice`; null otherwise. */
  readonly daysUntilDue: number | null;
  /** Null: the default of the customer pays. */
  readonly defaultPaymentMethodId: PaymentMethodId | null;
  readonly description: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** What happens at the end of a trial if there is no payment method. */
  readonly trialEndBehavior: 'create_invoice' | 'cancel' | 'pause';
  readonly pauseCollection: PauseCollection | null;
}

/** A subscription is on the test clock of its customer. */
export interface SubscriptionFacts extends Owner, Clocked, SubscriptionSettings {
  readonly id: SubscriptionId;
  /** Increments with every change; guarded updates compare it. */
  readonly version: number;
  readonly customerId: CustomerId;
  /** ISO 4217, lower case. */
  readonly currency: string;
  readonly items: readonly SubscriptionItem[];
  readonly calendar: BillingCalendar;
  readonly period: CurrentPeriod;
  /** When it began; before `created` if it was backdated. */
  readonly startDate: Date;
  /** Time before this is not billed: a stub that was asked for without prorations. */
  readonly freeUntil: Date | null;
  readonly trial: { readonly start: Date; readonly end: Date } | null;
  readonly cancelAt: Date | null;
  readonly cancelAtPeriodEnd: boolean;
  /** What happens to unused time at `cancelAt`. */
  readonly cancelProration: ProrationBehavior;
  /** When its end was asked for, which may be before it ends. */
  readonly canceledAt: Date | null;
  readonly cancellation: CancellationDetails;
  readonly pendingUpdate: PendingUpdate | null;
  readonly latestInvoiceId: InvoiceId | null;
  /** An invoice whose charge has no known outcome; until it has one, nothing else is due. */
  readonly chargingInvoiceId: InvoiceId | null;
  /** The last period of which `renewed` or `payment_failed` was recorded: one of them for each. */
  readonly announcedIndex: number | null;
  /** A worker must look at it because of its customer, or of a dispute, also if nothing is due. */
  readonly isWoken: boolean;
  readonly created: Date;
  /** Who made it; absent if nobody did. */
  readonly createdBy?: Maker;
  /** When the scheduler must look at it again, as `nextActionOf` computes it. */
  readonly nextActionAt: Date | null;
  /** What keeps a worker from doing what is due; any change ends it. @defaultValue nothing */
  readonly failing?: Failing;
}

/** A subscription is exactly one of these; `subscription-states.ts` has the transitions. */
export type SubscriptionState =
  | { readonly status: 'incomplete'; readonly expiresAt: Date }
  | { readonly status: 'incomplete_expired'; readonly endedAt: Date }
  | { readonly status: 'trialing' }
  | { readonly status: 'active' }
  | { readonly status: 'past_due'; readonly dunning: Dunning }
  | { readonly status: 'unpaid'; readonly dunning: Dunning }
  | { readonly status: 'paused'; readonly pausedAt: Date }
  | { readonly status: 'canceled'; readonly endedAt: Date };

/** A customer who is charged for items every period. */
export type Subscription = SubscriptionFacts & SubscriptionState;
export type SubscriptionStatus = SubscriptionState['status'];

/** One period of a subscription, unique by subscription and index. */
export interface BillingPeriod {
  readonly subscriptionId: SubscriptionId;
  readonly index: number;
  readonly start: Date;
  /** It moves only while it is the last one: a trial is extended, or a new period begins earlier. */
  readonly end: Date;
  /** Null: there is no invoice for it. */
  readonly invoiceId: InvoiceId | null;
  /** Something was billed for its time; false in a trial and in free time. */
  readonly isBilled: boolean;
}

/** The facts without the fields of a state. */
export function toFacts(subscription: Subscription): SubscriptionFacts {
  const { accountId, environment, clock, createdBy, id, version, customerId } = subscription;
  const { currency, items, calendar, period, startDate, freeUntil, trial } = subscription;
  const { cancelAt, cancelAtPeriodEnd, cancelProration, canceledAt, cancellation } = subscription;
  const { pendingUpdate, latestInvoiceId, chargingInvoiceId, announcedIndex } = subscription;
  const { collectionMethod, daysUntilDue, defaultPaymentMethodId, description } = subscription;
  const { metadata, trialEndBehavior, pauseCollection, isWoken, created, nextActionAt } =
    subscription;
  return {
    accountId,
    environment,
    ...(clock === undefined ? {} : { clock }),
    ...(createdBy === undefined ? {} : { createdBy }),
    id,
    version,
    customerId,
    currency,
    items,
    calendar,
    period,
    startDate,
    freeUntil,
    trial,
    cancelAt,
    cancelAtPeriodEnd,
    cancelProration,
    canceledAt,
    cancellation,
    pendingUpdate,
    latestInvoiceId,
    chargingInvoiceId,
    announcedIndex,
    collectionMethod,
    daysUntilDue,
    defaultPaymentMethodId,
    description,
    metadata,
    trialEndBehavior,
    pauseCollection,
    isWoken,
    created,
    nextActionAt,
  };
}

/** Minor units of a full period: price times quantity. */
export function fullCost({
  unitAmount,
  quantity,
}: Pick<PricedItem, 'unitAmount' | 'quantity'>): bigint {
  return BigInt(unitAmount) * BigInt(quantity);
}

/** The time in whole seconds, as all times of billing are. */
export function wholeSecond(at: Date): Date {
  return new Date(Math.floor(at.getTime() / 1000) * 1000);
}

/**
 * The time of a change in whole seconds, and not before the current period: the worker that began it may have a
 * clock that is ahead.
 */
export function timeInPeriod({ period }: Pick<SubscriptionFacts, 'period'>, at: Date): Date {
  return laterOf(wholeSecond(at), period.start);
}

/** The later one of two times. */
export function laterOf(one: Date, other: Date): Date {
  return one > other ? one : other;
}

/** Whether a subscription has ended for good. */
export function isOver({ status }: Subscription): boolean {
  return status === 'canceled' || status === 'incomplete_expired';
}
