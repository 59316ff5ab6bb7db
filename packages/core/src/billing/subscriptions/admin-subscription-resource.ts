import { z } from 'zod';
import { TimestampResource, timestamp } from '../../kernel/basics/resource.ts';
import type { Charge } from '../../payments/charges/charge.ts';
import {
  AttemptsResource,
  FailingResource,
  toAttemptResources,
  toFailingResource,
} from '../invoices/admin-invoice-resource.ts';
import type { Price } from '../prices/price.ts';
import { DECLINE_CLASSES } from './decline-class.ts';
import { ACTION_KINDS, nextActionOf } from './next-action.ts';
import { toSubscriptionResource } from './render-subscription.ts';
import type { BillingPeriod, Subscription } from './subscription.ts';
import { SubscriptionResource } from './subscription-resource.ts';

const PeriodResource = z
  .strictObject({
    index: z.int(),
    start: TimestampResource,
    end: TimestampResource,
    invoice: z.string().nullable(),
    billed: z.boolean().meta({ description: 'False in a trial and in free time.' }),
  })
  .meta({ id: 'BillingPeriod' });

export const AdminSubscriptionResource = SubscriptionResource.extend({
  account: z.string(),
  next_action: z
    .strictObject({ kind: z.enum(ACTION_KINDS), at: TimestampResource })
    .nullable()
    .meta({
      description:
        'What time does to it next. Null: nothing, because it is over, waits for a person, or is being charged.',
    }),
  due_at: TimestampResource.nullable().meta({
    description:
      'When a worker looks at it next: with the next action; before it, after a change of the customer; after it, if it failed.',
  }),
  charging_invoice: z.string().nullable().meta({
    description: 'An invoice whose charge has no known outcome. Nothing else is due meanwhile.',
  }),
  decline_class: z.enum(DECLINE_CLASSES).nullable().meta({
    description: 'Why the last payment failed, of one that is not paid.',
  }),
  gives_up_at: TimestampResource.nullable().meta({ description: 'When collection ends.' }),
  periods: z.array(PeriodResource).optional().meta({
    description: 'The newest 100 periods, newest first. Not in lists.',
  }),
  failing: FailingResource,
  attempts: AttemptsResource,
}).meta({ id: 'AdminSubscription' });

export type AdminSubscriptionJson = z.output<typeof AdminSubscriptionResource>;

/**
 * Renders a subscription for an admin.
 * @param more its periods, and the charges of their invoices; absent in lists
 */
export function toAdminSubscriptionResource(
  subscription: Subscription,
  prices: readonly Price[],
  more?: { readonly periods: readonly BillingPeriod[]; readonly attempts: readonly Charge[] },
): AdminSubscriptionJson {
  const action = nextActionOf(subscription);
  const dunning = 'dunning' in subscription ? subscription.dunning : undefined;
  const byId = new Map(prices.map((price) => [price.id, price]));
  return {
    ...toSubscriptionResource(subscription, byId),
    account: subscription.accountId,
    next_action: action && { kind: action.kind, at: action.at.toISOString() },
    due_at: timestamp(subscription.nextActionAt ?? undefined),
    charging_invoice: subscription.chargingInvoiceId,
    decline_class: dunning?.declineClass ?? null,
    failing: toFailingResource(subscription.failing),
    gives_up_at: timestamp(subscription.status === 'past_due' ? dunning?.givesUpAt : undefined),
    ...(more && {
      periods: more.periods.map((period) => ({
        index: period.index,
        start: period.start.toISOString(),
        end: period.end.toISOString(),
        invoice: period.invoiceId,
        billed: period.isBilled,
      })),
      attempts: [...toAttemptResources(more.attempts)],
    }),
  };
}
