import { z } from 'zod';
import { withErrorHint } from '../../kernel/errors/error-hints.ts';
import { name, text } from '../../kernel/input/input.ts';
import { MetadataInput } from '../../kernel/input/metadata.ts';
import { MAX_TEXT_LENGTH } from './evidence.ts';

/** An empty text removes it. */
const Text = text(MAX_TEXT_LENGTH).optional();
/** An empty text removes it. */
const FileName = withErrorHint(z.string().max(255), 'the id of a file').optional();

const EvidenceInput = z
  .strictObject({
    access_activity_log: Text,
    billing_address: Text,
    cancellation_policy: FileName,
    cancellation_policy_disclosure: Text,
    cancellation_rebuttal: Text,
    customer_communication: FileName,
    customer_email_address: Text,
    customer_name: Text,
    customer_purchase_ip: Text,
    customer_signature: FileName,
    duplicate_charge_documentation: FileName,
    duplicate_charge_explanation: Text,
    duplicate_charge_id: Text,
    product_description: Text,
    receipt: FileName,
    refund_policy: FileName,
    refund_policy_disclosure: Text,
    refund_refusal_explanation: Text,
    service_date: Text,
    service_documentation: FileName,
    shipping_address: Text,
    shipping_carrier: Text,
    shipping_date: Text,
    shipping_documentation: FileName,
    shipping_tracking_number: Text,
    uncategorized_file: FileName,
    uncategorized_text: Text,
  })
  .meta({
    id: 'DisputeEvidenceInput',
    description:
      'Texts, and ids of files. Fields that are left out stay; an empty text removes one.',
  });

export const DisputeUpdateInput = z
  .strictObject({
    evidence: EvidenceInput.optional(),
    submit: z
      .boolean()
      .optional()
      .meta({
        description:
          'Whether the evidence goes to the issuer now, which is possible once in each round. True if evidence is ' +
          'sent, unless it is false: then it is only stored.',
      }),
    metadata: MetadataInput.optional(),
  })
  .meta({ id: 'DisputeUpdate' });

export const DisputeRuleInput = z
  .strictObject({
    outcome: z.enum(['won', 'lost', 'reopened']).meta({
      description:
        '`won`, `lost`: how the issuer ruled. `reopened`: what ended the dispute does not count any more, ' +
        'and it waits for an answer again.',
    }),
    reason: name(500).meta({
      description: 'The reason: how you know it. It is stored in the audit log.',
    }),
  })
  .meta({ id: 'DisputeRule' });

export type DisputeRule = z.output<typeof DisputeRuleInput>;
export type EvidenceSent = z.output<typeof EvidenceInput>;
export type DisputeUpdate = z.output<typeof DisputeUpdateInput>;
