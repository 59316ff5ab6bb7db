import { z } from 'zod';
import { MetadataResource, TimestampResource } from '../../kernel/basics/resource.ts';
import { BalanceTransactionResource } from '../../ledger/balance-resource.ts';

/** The reason of a dispute; the official SDK's names. */
const DISPUTE_REASONS = [
  'bank_cannot_process',
  'check_returned',
  'credit_not_processed',
  'customer_initiated',
  'debit_not_authorized',
  'duplicate',
  'fraudulent',
  'general',
  'incorrect_account_details',
  'insufficient_funds',
  'noncompliant',
  'product_not_received',
  'product_unacceptable',
  'subscription_canceled',
  'unrecognized',
] as const;

/** A text, or the id of a file; null until it is sent. */
const Evidence = z.string().nullable();

/** The official SDK's names. */
const EvidenceResource = z
  .strictObject({
    access_activity_log: Evidence,
    billing_address: Evidence,
    cancellation_policy: Evidence,
    cancellation_policy_disclosure: Evidence,
    cancellation_rebuttal: Evidence,
    customer_communication: Evidence,
    customer_email_address: Evidence,
    customer_name: Evidence,
    customer_purchase_ip: Evidence,
    customer_signature: Evidence,
    duplicate_charge_documentation: Evidence,
    duplicate_charge_explanation: Evidence,
    duplicate_charge_id: Evidence,
    product_description: Evidence,
    receipt: Evidence,
    refund_policy: Evidence,
    refund_policy_disclosure: Evidence,
    refund_refusal_explanation: Evidence,
    service_date: Evidence,
    service_documentation: Evidence,
    shipping_address: Evidence,
    shipping_carrier: Evidence,
    shipping_date: Evidence,
    shipping_documentation: Evidence,
    shipping_tracking_number: Evidence,
    uncategorized_file: Evidence,
    uncategorized_text: Evidence,
  })
  .meta({ id: 'DisputeEvidence' });

/** The evidence of a new dispute. */
export const NO_EVIDENCE: z.output<typeof EvidenceResource> = {
  access_activity_log: null,
  billing_address: null,
  cancellation_policy: null,
  cancellation_policy_disclosure: null,
  cancellation_rebuttal: null,
  customer_communication: null,
  customer_email_address: null,
  customer_name: null,
  customer_purchase_ip: null,
  customer_signature: null,
  duplicate_charge_documentation: null,
  duplicate_charge_explanation: null,
  duplicate_charge_id: null,
  product_description: null,
  receipt: null,
  refund_policy: null,
  refund_policy_disclosure: null,
  refund_refusal_explanation: null,
  service_date: null,
  service_documentation: null,
  shipping_address: null,
  shipping_carrier: null,
  shipping_date: null,
  shipping_documentation: null,
  shipping_tracking_number: null,
  uncategorized_file: null,
  uncategorized_text: null,
};

const AdjustmentResource = BalanceTransactionResource.extend({ type: z.literal('adjustment') });

export const DisputeResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('dispute'),
    livemode: z.boolean(),
    created: TimestampResource,
    metadata: MetadataResource,
    charge: z.string(),
    amount: z.int(),
    currency: z.string(),
    status: z.enum([
      'warning_needs_response',
      'warning_closed',
      'prevented',
      'needs_response',
      'under_review',
      'won',
      'lost',
    ]),
    reason: z.enum(DISPUTE_REASONS),
    network_reason_code: z.string().nullable(),
    evidence: EvidenceResource,
    evidence_details: z.strictObject({
      due_by: TimestampResource,
      has_evidence: z.boolean(),
      past_due: z.boolean(),
      submission_count: z.int(),
    }),
    is_charge_refundable: z.boolean(),
    balance_transactions: z.array(AdjustmentResource),
    closed_reason: z
      .enum(['ruling', 'accepted', 'expired', 'not_contestable', 'refunded'])
      .nullable(),
  })
  .meta({ id: 'Dispute' });

export type DisputeJson = z.output<typeof DisputeResource>;
