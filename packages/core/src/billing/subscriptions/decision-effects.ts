import type { EventCause } from '../../changes/events/event-cause.ts';
import type { InvoiceEffects } from '../invoices/invoice-owner.ts';
import type { BillingDecision } from './billing-decision.ts';
import { type PricesById, toSubscriptionResource } from './render-subscription.ts';
import { isOver, type Subscription } from './subscription.ts';
import { subscriptionEvent } from './subscription-event.ts';
import type { SubscriptionJson } from './subscription-resource.ts';
import type { PeriodFacts } from './subscription-storage.ts';

/**
 * The rows and the event of a decision.
 * @param before as it was read; the decision may be of several steps, and is one version
 */
export function effectsOf(
  before: Subscription | undefined,
  decision: Pick<BillingDecision, 'subscription' | 'event' | 'newPeriods' | 'movedEnd'>,
  {
    prices,
    at,
    cause,
  }: { readonly prices: PricesById; readonly at: Date; readonly cause: EventCause },
): {
  readonly effects: InvoiceEffects & PeriodFacts;
  readonly row: Subscription;
  readonly resource: SubscriptionJson;
} {
  const row: Subscription = {
    ...decision.subscription,
    ...keptAwake(decision.subscription),
    version: before === undefined ? 1 : before.version + 1,
  };
  const resource = toSubscriptionResource(row, prices);
  const { newPeriods, movedEnd } = decision;
  return {
    row,
    resource,
    effects: {
      writes: [{ kind: 'subscription', mode: before === undefined ? 'insert' : 'update', row }],
      events:
        decision.event === null
          ? []
          : [subscriptionEvent(row, decision.event, { prices, at, cause })],
      ...(newPeriods.length > 0 && { newPeriods }),
      ...(movedEnd !== null && { movedEnd: { subscriptionId: row.id, ...movedEnd } }),
    },
  };
}

/**
 * A worker must look at a subscription whose customer was changed. That is due from its creation on, or when
 * the outcome of its charge is known, and stays so when somebody else changes the subscription before.
 */
function keptAwake(subscription: Subscription): Pick<Subscription, 'isWoken' | 'nextActionAt'> {
  const { nextActionAt, chargingInvoiceId, created } = subscription;
  const isWoken = subscription.isWoken && !isOver(subscription);
  const isDue = isWoken && chargingInvoiceId === null;
  return { isWoken, nextActionAt: isDue ? created : nextActionAt };
}
