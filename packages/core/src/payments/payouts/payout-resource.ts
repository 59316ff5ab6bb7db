import { z } from 'zod';
import { livemode } from '../../kernel/basics/environment.ts';
import { MetadataResource, TimestampResource } from '../../kernel/basics/resource.ts';
import type { Payout } from './payout.ts';

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
    destination: z.string().meta({ description: 'Expandable.', expandsTo: 'BankAccount' }),
    status: z.enum(['pending', 'in_transit', 'paid', 'failed', 'canceled']),
    balance_transaction: z
      .string()
      .meta({ description: 'Expandable.', expandsTo: 'BalanceTransaction' }),
    failure_code: z.string().nullable(),
    failure_message: z.string().nullable(),
    failure_balance_transaction: z
      .string()
      .nullable()
      .meta({ description: 'Expandable.', expandsTo: 'BalanceTransaction' }),
    statement_descriptor: z.string().nullable(),
    description: z.string().nullable(),
  })
  .meta({ id: 'Payout' });

export type PayoutJson = z.output<typeof PayoutResource>;

/** Renders a payout. */
export function toPayoutResource(payout: Payout): PayoutJson {
  const isFailed = payout.status === 'failed';
  const stop = payout.status === 'canceled' ? payout.stop : undefined;
  const isUndone = isFailed || payout.status === 'canceled';
  return {
    id: payout.id,
    object: 'payout',
    livemode: livemode(payout.environment),
    created: payout.created.toISOString(),
    metadata: payout.metadata,
    amount: payout.amount,
    currency: payout.currency,
    arrival_date: payout.arrivalDate.toISOString(),
    automatic: payout.period !== null,
    destination: payout.destinationId,
    status: payout.status,
    balance_transaction: payout.balanceTransactionId,
    failure_code: isFailed ? payout.failureCode : (stop?.code ?? null),
    failure_message: isFailed ? payout.failureMessage : (stop?.message ?? null),
    failure_balance_transaction: isUndone ? payout.failureBalanceTransactionId : null,
    statement_descriptor: payout.statementDescriptor,
    description: payout.description,
  };
}
