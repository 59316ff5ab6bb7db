import { z } from 'zod';
import { livemode } from '../../kernel/basics/environment.ts';
import { MetadataResource, TimestampResource } from '../../kernel/basics/resource.ts';
import {
  BALANCE_TRANSACTION_TYPES,
  type CustomerBalanceTransaction,
} from '../../payments/customers/customer-balance.ts';

export const CustomerBalanceTransactionResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('customer_balance_transaction'),
    livemode: z.boolean(),
    created: TimestampResource,
    metadata: MetadataResource,
    customer: z.string().meta({ description: 'Expandable.', expandsTo: 'Customer' }),
    type: z.enum(BALANCE_TRANSACTION_TYPES).meta({
      description:
        '`adjustment`: by the merchant. `applied_to_invoice`: an invoice took the balance into its ' +
        'sum; `unapplied_from_invoice`: it gave it back. `proration_credit`: what an invoice with a ' +
        'negative total could not pay out.',
    }),
    amount: z.int().meta({ description: 'Minor units; negative: a credit.' }),
    currency: z.string(),
    ending_balance: z.int().meta({
      description: 'The balance of the customer in this currency after it.',
    }),
    invoice: z.string().nullable(),
    description: z.string().nullable(),
  })
  .meta({ id: 'CustomerBalanceTransaction' });

export type CustomerBalanceTransactionJson = z.output<typeof CustomerBalanceTransactionResource>;

/** Renders one move of a customer's balance. */
export function toCustomerBalanceTransactionResource(
  transaction: CustomerBalanceTransaction,
): CustomerBalanceTransactionJson {
  return {
    id: transaction.id,
    object: 'customer_balance_transaction',
    livemode: livemode(transaction.environment),
    created: transaction.created.toISOString(),
    metadata: transaction.metadata,
    customer: transaction.customerId,
    type: transaction.type,
    amount: transaction.amount,
    currency: transaction.currency,
    ending_balance: transaction.endingBalance,
    invoice: transaction.invoiceId,
    description: transaction.description,
  };
}
