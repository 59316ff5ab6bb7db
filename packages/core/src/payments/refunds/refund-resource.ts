import { z } from 'zod';
import { livemode } from '../../kernel/basics/environment.ts';
import { MetadataResource, TimestampResource } from '../../kernel/basics/resource.ts';
import type { Refund } from './refund.ts';

export const RefundResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('refund'),
    livemode: z.boolean(),
    created: TimestampResource,
    metadata: MetadataResource,
    amount: z.int(),
    currency: z.string(),
    charge: z.string().meta({ description: 'Expandable.', expandsTo: 'Charge' }),
    status: z.enum(['pending', 'succeeded', 'failed', 'canceled']),
    reason: z.enum(['duplicate', 'fraudulent', 'requested_by_customer']).nullable(),
    balance_transaction: z
      .string()
      .nullable()
      .meta({ description: 'Expandable.', expandsTo: 'BalanceTransaction' }),
    failure_balance_transaction: z
      .string()
      .nullable()
      .meta({ description: 'Expandable.', expandsTo: 'BalanceTransaction' }),
    failure_reason: z.string().nullable(),
  })
  .meta({ id: 'Refund' });

export type RefundJson = z.output<typeof RefundResource>;

/** Renders a refund. */
export function toRefundResource(refund: Refund): RefundJson {
  const undone = refund.status === 'failed' || refund.status === 'canceled';
  return {
    id: refund.id,
    object: 'refund',
    livemode: livemode(refund.environment),
    created: refund.created.toISOString(),
    metadata: refund.metadata,
    amount: refund.amount,
    currency: refund.currency,
    charge: refund.chargeId,
    status: refund.status,
    reason: refund.reason,
    balance_transaction: refund.balanceTransactionId,
    failure_balance_transaction: undone ? refund.failureBalanceTransactionId : null,
    failure_reason: refund.status === 'failed' ? refund.failureReason : null,
  };
}
