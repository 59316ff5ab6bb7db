import { z } from 'zod';
import { MetadataResource, TimestampResource } from '../../kernel/basics/resource.ts';

export const PriceResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('price'),
    livemode: z.boolean(),
    created: TimestampResource,
    metadata: MetadataResource,
    product: z.string(),
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
