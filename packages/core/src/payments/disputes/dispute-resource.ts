import { z } from 'zod';
import { livemode } from '../../kernel/basics/environment.ts';
import { MetadataResource, TimestampResource } from '../../kernel/basics/resource.ts';
import {
  BalanceTransactionResource,
  toBalanceTransactionResource,
} from '../../ledger/balance-resource.ts';
import { CLOSED_REASONS, DISPUTE_REASONS, type Dispute } from './dispute.ts';
import { adjustmentsOf } from './dispute-booking.ts';
import { hasEvidence } from './evidence.ts';

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
    charge: z.string().meta({ description: 'Expandable.', expandsTo: 'Charge' }),
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
    closed_reason: z.enum(CLOSED_REASONS).nullable(),
    round: z.int().meta({
      description:
        '1 for an alert and its chargeback. Each time a ruling is reversed, such as in pre-arbitration ' +
        'or arbitration, the next round begins.',
    }),
  })
  .meta({ id: 'Dispute' });

export type DisputeJson = z.output<typeof DisputeResource>;

/** Renders a dispute, for answers and for `data.object` of events. */
export function toDisputeResource(dispute: Dispute): DisputeJson {
  const { status, evidence } = dispute;
  const closedReason = toClosedReason(dispute);
  return {
    id: dispute.id,
    object: 'dispute',
    livemode: livemode(dispute.environment),
    created: dispute.created.toISOString(),
    metadata: dispute.metadata,
    charge: dispute.chargeId,
    amount: dispute.amount,
    currency: dispute.currency,
    status,
    reason: dispute.reason,
    network_reason_code: dispute.networkReasonCode,
    evidence: { ...NO_EVIDENCE, ...evidence.texts, ...evidence.files },
    evidence_details: {
      due_by: dispute.dueBy.toISOString(),
      has_evidence: hasEvidence(evidence),
      past_due: dispute.pastDue,
      submission_count: dispute.submissionCount,
    },
    is_charge_refundable:
      status === 'warning_needs_response' || status === 'warning_closed' || status === 'won',
    balance_transactions: adjustmentsOf(dispute).map((line) => ({
      ...toBalanceTransactionResource(line),
      type: 'adjustment',
    })),
    closed_reason: closedReason,
    round: dispute.round,
  };
}

function toClosedReason(dispute: Dispute): DisputeJson['closed_reason'] {
  switch (dispute.status) {
    case 'lost':
      return dispute.closedReason;
    case 'won':
      return 'ruling';
    case 'prevented':
      return 'refunded';
    case 'warning_needs_response':
    case 'warning_closed':
    case 'needs_response':
    case 'under_review':
      return null;
  }
}
