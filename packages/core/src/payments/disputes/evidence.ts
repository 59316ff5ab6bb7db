import type { FileId } from '../../kernel/basics/id.ts';

/** The evidence that is a text; the official SDK's names. */
export const TEXT_EVIDENCE = [
  'access_activity_log',
  'billing_address',
  'cancellation_policy_disclosure',
  'cancellation_rebuttal',
  'customer_email_address',
  'customer_name',
  'customer_purchase_ip',
  'duplicate_charge_explanation',
  'duplicate_charge_id',
  'product_description',
  'refund_policy_disclosure',
  'refund_refusal_explanation',
  'service_date',
  'shipping_address',
  'shipping_carrier',
  'shipping_date',
  'shipping_tracking_number',
  'uncategorized_text',
] as const;

/** The evidence that is a file, by its id; the official SDK's names. */
export const FILE_EVIDENCE = [
  'cancellation_policy',
  'customer_communication',
  'customer_signature',
  'duplicate_charge_documentation',
  'receipt',
  'refund_policy',
  'service_documentation',
  'shipping_documentation',
  'uncategorized_file',
] as const;

export type TextEvidence = (typeof TEXT_EVIDENCE)[number];
export type FileEvidence = (typeof FILE_EVIDENCE)[number];

/** What a merchant has to say about a dispute; a field that was never sent is absent. */
export interface Evidence {
  readonly texts: Readonly<Partial<Record<TextEvidence, string>>>;
  readonly files: Readonly<Partial<Record<FileEvidence, FileId>>>;
}

export const NO_EVIDENCE: Evidence = { texts: {}, files: {} };

/** One text, in characters: the body of a request holds several. */
export const MAX_TEXT_LENGTH = 20_000;
/** All texts together, in characters. */
export const MAX_EVIDENCE_LENGTH = 150_000;
/** All texts together as JSON, in bytes: an event that shows them has at most 256 KiB. */
export const MAX_EVIDENCE_BYTES = 200_000;

/** Whether anything was said. */
export function hasEvidence({ texts, files }: Evidence): boolean {
  return Object.keys(texts).length > 0 || Object.keys(files).length > 0;
}

/** The length of all texts, in characters. */
export function evidenceLength({ texts }: Evidence): number {
  return Object.values(texts).reduce((sum, text) => sum + [...text].length, 0);
}
