import { z } from 'zod';
import { MetadataResource, TimestampResource } from '../../kernel/basics/resource.ts';
import { PriceResource } from '../prices/price-resource.ts';

export const SubscriptionItemResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('subscription_item'),
    livemode: z.boolean(),
    created: TimestampResource,
    metadata: MetadataResource,
    subscription: z.string(),
    price: PriceResource,
    quantity: z.int(),
    current_period_start: TimestampResource,
    current_period_end: TimestampResource,
  })
  .meta({ id: 'SubscriptionItem' });

const ItemListResource = z
  .strictObject({
    object: z.literal('list'),
    url: z.string(),
    has_more: z.boolean(),
    data: z.array(SubscriptionItemResource),
  })
  .meta({ id: 'SubscriptionItemList' });

/** The state of the attempts to collect a failed period. */
const DunningResource = z
  .strictObject({
    attempt: z.int(),
    max_attempts: z.int(),
    next_attempt_at: TimestampResource.nullable(),
    last_failure_code: z.string().nullable(),
  })
  .meta({ id: 'Dunning' });

/** A change of items that waits for the end of the period. */
const PendingUpdateResource = z
  .strictObject({
    applies_at: TimestampResource,
    items: z.array(z.strictObject({ id: z.string(), price: z.string(), quantity: z.int() })),
  })
  .meta({ id: 'PendingUpdate' });

export const SubscriptionResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('subscription'),
    livemode: z.boolean(),
    created: TimestampResource,
    metadata: MetadataResource,
    customer: z.string().meta({ description: 'Expandable.', expandsTo: 'Customer' }),
    status: z.enum([
      'incomplete',
      'incomplete_expired',
      'trialing',
      'active',
      'past_due',
      'unpaid',
      'paused',
      'canceled',
    ]),
    items: ItemListResource,
    currency: z.string(),
    collection_method: z.enum(['charge_automatically', 'send_invoice']),
    days_until_due: z.int().nullable(),
    default_payment_method: z
      .string()
      .nullable()
      .meta({ description: 'Expandable.', expandsTo: 'PaymentMethod' }),
    description: z.string().nullable(),
    start_date: TimestampResource,
    billing_cycle_anchor: TimestampResource,
    current_period_start: TimestampResource,
    current_period_end: TimestampResource,
    billing_timezone: z.string(),
    period_index: z.int(),
    trial_start: TimestampResource.nullable(),
    trial_end: TimestampResource.nullable(),
    cancel_at: TimestampResource.nullable(),
    canceled_at: TimestampResource.nullable(),
    ended_at: TimestampResource.nullable(),
    cancel_at_period_end: z.boolean(),
    trial_settings: z.strictObject({
      end_behavior: z.strictObject({
        missing_payment_method: z.enum(['create_invoice', 'cancel', 'pause']),
      }),
    }),
    cancellation_details: z.strictObject({
      reason: z.enum(['cancellation_requested', 'payment_failed', 'payment_disputed']).nullable(),
      comment: z.string().nullable(),
      feedback: z.string().nullable(),
    }),
    pause_collection: z
      .strictObject({
        behavior: z.enum(['void', 'keep_as_draft', 'mark_uncollectible']),
        resumes_at: TimestampResource.nullable(),
      })
      .nullable(),
    pending_update: PendingUpdateResource.nullable(),
    latest_invoice: z
      .string()
      .nullable()
      .meta({ description: 'Expandable.', expandsTo: 'Invoice' }),
    dunning: DunningResource.nullable(),
    test_clock: z.string().nullable(),
  })
  .meta({ id: 'Subscription' });

export type SubscriptionJson = z.output<typeof SubscriptionResource>;
export type SubscriptionItemJson = z.output<typeof SubscriptionItemResource>;

export const DeletedSubscriptionItemResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('subscription_item'),
    deleted: z.literal(true),
  })
  .meta({ id: 'DeletedSubscriptionItem' });
