import { z } from 'zod';
import { livemode } from '../../kernel/basics/environment.ts';
import { MetadataResource, TimestampResource } from '../../kernel/basics/resource.ts';
import type { Price } from './price.ts';

export const PriceResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('price'),
    livemode: z.boolean(),
    created: TimestampResource,
    metadata: MetadataResource,
    product: z.string().meta({ description: 'Expandable.', expandsTo: 'Product' }),
    active: z.boolean(),
    currency: z.string(),
    unit_amount: z.int(),
    type: z.enum(['one_time', 'recurring']),
    recurring: z
      .strictObject({
        interval: z.enum(['day', 'week', 'month', 'year']),
        interval_count: z.int(),
        trial_period_days: z.int().nullable(),
      })
      .nullable(),
    lookup_key: z.string().nullable(),
    nickname: z.string().nullable(),
  })
  .meta({ id: 'Price' });

export type PriceJson = z.output<typeof PriceResource>;

/** Renders a price. */
export function toPriceResource(price: Price): PriceJson {
  const { recurring } = price;
  return {
    id: price.id,
    object: 'price',
    livemode: livemode(price.environment),
    created: price.created.toISOString(),
    metadata: price.metadata,
    product: price.productId,
    active: price.active,
    currency: price.currency,
    unit_amount: price.unitAmount,
    type: recurring ? 'recurring' : 'one_time',
    recurring: recurring && {
      interval: recurring.interval,
      interval_count: recurring.intervalCount,
      trial_period_days: recurring.trialPeriodDays,
    },
    lookup_key: price.lookupKey,
    nickname: price.nickname,
  };
}
