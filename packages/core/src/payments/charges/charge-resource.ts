import { z } from 'zod';
import { livemode } from '../../kernel/basics/environment.ts';
import { MetadataResource, TimestampResource, timestamp } from '../../kernel/basics/resource.ts';
import {
  BillingDetailsResource,
  ShippingResource,
  toBillingDetailsResource,
  toShippingResource,
} from '../contacts/contact-resource.ts';
import { CardResource, toCardResource } from '../payment-methods/card-resource.ts';
import {
  toUsBankAccountResource,
  UsBankAccountResource,
} from '../payment-methods/us-bank-account-resource.ts';
import type { Charge, ChargeOutcome } from './charge.ts';

const OutcomeResource = z
  .strictObject({
    type: z.enum(['authorized', 'issuer_declined', 'blocked', 'invalid', 'unknown']),
    network_status: z.string(),
    reason: z.string().nullable(),
    risk_level: z.enum(['normal', 'elevated', 'highest', 'unknown']),
    advice_code: z.string().nullable(),
  })
  .meta({ id: 'ChargeOutcome' });

export const ChargeResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('charge'),
    livemode: z.boolean(),
    created: TimestampResource,
    metadata: MetadataResource,
    amount: z.int(),
    amount_captured: z.int(),
    amount_refunded: z.int(),
    currency: z.string(),
    status: z.enum(['pending', 'authorized', 'succeeded', 'failed', 'canceled']),
    paid: z.boolean(),
    captured: z.boolean(),
    refunded: z.boolean(),
    disputed: z
      .boolean()
      .meta({ description: 'Whether there was a chargeback; an alert does not count.' }),
    capture_method: z.enum(['automatic', 'manual']),
    capture_before: TimestampResource.nullable(),
    customer: z.string().nullable().meta({ description: 'Expandable.', expandsTo: 'Customer' }),
    payment_method: z.string().meta({ description: 'Expandable.', expandsTo: 'PaymentMethod' }),
    balance_transaction: z
      .string()
      .nullable()
      .meta({ description: 'Expandable.', expandsTo: 'BalanceTransaction' }),
    subscription: z.null(),
    invoice: z
      .string()
      .nullable()
      .meta({ description: 'What it pays. Expandable.', expandsTo: 'Invoice' }),
    dispute: z
      .string()
      .nullable()
      .meta({ description: 'The newest one. Expandable.', expandsTo: 'Dispute' }),
    payment_method_details: z.strictObject({
      type: z.enum(['card', 'us_bank_account']),
      card: CardResource.extend({ network_transaction_id: z.string().nullable() }).exactOptional(),
      us_bank_account: UsBankAccountResource.extend({
        trace_number: z.string().nullable(),
      }).exactOptional(),
    }),
    billing_details: BillingDetailsResource,
    failure_code: z.string().nullable(),
    failure_message: z.string().nullable(),
    outcome: OutcomeResource.nullable(),
    processor: z.strictObject({ name: z.string(), reference: z.string().nullable() }),
    description: z.string().nullable(),
    statement_descriptor: z.string().nullable(),
    receipt_email: z.string().nullable(),
    shipping: ShippingResource.nullable(),
  })
  .meta({
    id: 'Charge',
    override: ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) => {
      const refunds = {
        description: 'Present if expanded: the newest 10.',
        expandsTo: 'RefundList',
      };
      Object.assign(jsonSchema.properties ?? {}, { refunds });
    },
  });

export type ChargeJson = z.output<typeof ChargeResource>;

/** Renders a charge, for answers and for `data.object` of events. */
export function toChargeResource(charge: Charge): ChargeJson {
  const captured = charge.status === 'succeeded';
  const amountCaptured = captured ? charge.amountCaptured : 0;
  return {
    id: charge.id,
    object: 'charge',
    livemode: livemode(charge.environment),
    created: charge.created.toISOString(),
    metadata: charge.metadata,
    amount: charge.amount,
    amount_captured: amountCaptured,
    amount_refunded: charge.amountRefunded,
    currency: charge.currency,
    status: charge.status,
    paid: captured || charge.status === 'authorized',
    captured,
    refunded: captured && charge.amountRefunded === amountCaptured,
    disputed: charge.dispute?.isChargeback ?? false,
    capture_method: charge.captureMethod,
    capture_before: timestamp(charge.status === 'authorized' ? charge.captureBefore : undefined),
    customer: charge.customerId,
    payment_method: charge.paymentMethodId,
    balance_transaction: captured ? charge.balanceTransactionId : null,
    subscription: null,
    invoice: charge.invoiceId ?? null,
    dispute: charge.dispute?.id ?? null,
    payment_method_details: toDetailsResource(charge),
    billing_details: toBillingDetailsResource(charge.billingDetails),
    failure_code: charge.status === 'failed' ? charge.failure.code : null,
    failure_message: charge.status === 'failed' ? charge.failure.message : null,
    outcome: charge.outcome === undefined ? null : toOutcomeResource(charge.outcome),
    processor: { name: charge.processorName, reference: charge.processorReference ?? null },
    description: charge.description,
    statement_descriptor: charge.statementDescriptor,
    receipt_email: charge.receiptEmail,
    shipping: charge.shipping && toShippingResource(charge.shipping),
  };
}

function toDetailsResource({
  method,
  networkTransactionId,
}: Charge): ChargeJson['payment_method_details'] {
  const reference = networkTransactionId ?? null;
  if (method.type === 'card') {
    const card = { ...toCardResource(method.card), network_transaction_id: reference };
    return { type: method.type, card };
  }
  const account = { ...toUsBankAccountResource(method.usBankAccount), trace_number: reference };
  return { type: method.type, us_bank_account: account };
}

function toOutcomeResource(outcome: ChargeOutcome): z.output<typeof OutcomeResource> {
  return {
    type: outcome.type,
    network_status: outcome.networkStatus,
    reason: outcome.reason ?? null,
    risk_level: outcome.riskLevel,
    advice_code: outcome.adviceCode ?? null,
  };
}
