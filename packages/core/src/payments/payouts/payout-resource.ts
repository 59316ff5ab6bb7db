import { z } from 'zod';
import { MetadataResource, TimestampResource } from '../../kernel/basics/resource.ts';

export const PayoutResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('payout'),
    livemode: z.boolean(),
    created: TimestampResource,
    metadata: MetadataResource,
    amount: z.int(),
    currency: z.string(),
    arrival_date: TimestampResource,
    automatic: z.boolean(),
    destination: z.string(),
    status: z.enum(['pending', 'in_transit', 'paid', 'failed', 'canceled']),
    balance_transaction: z.string(),
    failure_code: z.string().nullable(),
    failure_message: z.string().nullable(),
    failure_balance_transaction: z.string().nullable(),
    statement_descriptor: z.string().nullable(),
    description: z.string().nullable(),
  })
  .meta({ id: 'Payout' });

export type PayoutJson = z.output<typeof PayoutResource>;
