import { livemode } from '../../kernel/basics/environment.ts';
import type { PriceId } from '../../kernel/basics/id.ts';
import { timestamp } from '../../kernel/basics/resource.ts';
import type { Price } from '../prices/price.ts';
import type { PriceReader } from '../prices/price-repository.ts';
import { toPriceResource } from '../prices/price-resource.ts';
import { RETRY_DAYS } from './decline-class.ts';
import type { NextItem, PendingUpdate, Subscription, SubscriptionItem } from './subscription.ts';
import type { SubscriptionItemJson, SubscriptionJson } from './subscription-resource.ts';

/** The prices of items by their ids: whatever is shown of them is as it is now. */
export type PricesById = ReadonlyMap<PriceId, Price>;

/**
 * The prices that subscriptions show, now and after a change that waits; one query.
 * @param known those of them that the caller has read in this transaction
 */
export async function pricesOf(
  { prices }: { readonly prices: PriceReader },
  subscriptions: readonly Subscription[],
  known: readonly Price[] = [],
): Promise<PricesById> {
  const [first] = subscriptions;
  if (first === undefined) return new Map();
  const { accountId, environment } = first;
  const items = subscriptions.flatMap((each) => [
    ...each.items,
    ...(each.pendingUpdate?.items ?? []),
  ]);
  const ids = new Set(items.map(({ priceId }) => priceId));
  for (const { id } of known) ids.delete(id);
  const found = ids.size > 0 ? await prices.findMany({ accountId, environment }, [...ids]) : [];
  return new Map([...known, ...found].map((price) => [price.id, price]));
}

/**
 * Renders a subscription, for answers and for `data.object` of events.
 * @throws Error if a price is missing, which is a bug: prices are never deleted
 */
export function toSubscriptionResource(
  subscription: Subscription,
  prices: PricesById,
): SubscriptionJson {
  const { id, period, trial, cancellation, pauseCollection, calendar, items } = subscription;
  return {
    id,
    object: 'subscription',
    livemode: livemode(subscription.environment),
    created: subscription.created.toISOString(),
    metadata: subscription.metadata,
    customer: subscription.customerId,
    status: subscription.status,
    items: {
      object: 'list',
      url: `/v1/subscription_items?subscription=${id}`,
      has_more: false,
      data: items.map((item) => toSubscriptionItemResource(subscription, item, prices)),
    },
    currency: subscription.currency,
    collection_method: subscription.collectionMethod,
    days_until_due: subscription.daysUntilDue,
    default_payment_method: subscription.defaultPaymentMethodId,
    description: subscription.description,
    start_date: subscription.startDate.toISOString(),
    billing_cycle_anchor: calendar.anchor.toISOString(),
    current_period_start: period.start.toISOString(),
    current_period_end: period.end.toISOString(),
    billing_timezone: calendar.timezone,
    period_index: period.index,
    trial_start: timestamp(trial?.start),
    trial_end: timestamp(trial?.end),
    cancel_at: timestamp(subscription.cancelAt ?? undefined),
    canceled_at: timestamp(subscription.canceledAt ?? undefined),
    ended_at: timestamp('endedAt' in subscription ? subscription.endedAt : undefined),
    cancel_at_period_end: subscription.cancelAtPeriodEnd,
    trial_settings: { end_behavior: { missing_payment_method: subscription.trialEndBehavior } },
    cancellation_details: cancellation,
    pause_collection: pauseCollection && {
      behavior: pauseCollection.behavior,
      resumes_at: timestamp(pauseCollection.resumesAt ?? undefined),
    },
    pending_update: subscription.pendingUpdate && toPendingUpdate(subscription.pendingUpdate),
    latest_invoice: subscription.latestInvoiceId,
    dunning: toDunning(subscription),
    test_clock: subscription.clock?.id ?? null,
  };
}

/** Renders an item of a subscription. */
export function toSubscriptionItemResource(
  { id: subscription, environment, period }: Subscription,
  item: SubscriptionItem,
  prices: PricesById,
): SubscriptionItemJson {
  const price = prices.get(item.priceId);
  if (price === undefined) throw new Error(`Price ${item.priceId} of item ${item.id} is missing.`);
  return {
    id: item.id,
    object: 'subscription_item',
    livemode: livemode(environment),
    created: item.created.toISOString(),
    metadata: item.metadata,
    subscription,
    price: toPriceResource(price),
    quantity: item.quantity,
    current_period_start: period.start.toISOString(),
    current_period_end: period.end.toISOString(),
  };
}

function toPendingUpdate({
  items,
  appliesAt,
}: PendingUpdate): NonNullable<SubscriptionJson['pending_update']> {
  return {
    applies_at: appliesAt.toISOString(),
    items: items.map(({ id, priceId, quantity }: NextItem) => ({ id, price: priceId, quantity })),
  };
}

function toDunning(subscription: Subscription): SubscriptionJson['dunning'] {
  if (!('dunning' in subscription)) return null;
  const { attempt, nextAttemptAt, lastFailureCode, declineClass } = subscription.dunning;
  return {
    attempt,
    max_attempts: Math.max(attempt, 1 + RETRY_DAYS[declineClass].length),
    next_attempt_at: timestamp(nextAttemptAt ?? undefined),
    last_failure_code: lastFailureCode,
  };
}
