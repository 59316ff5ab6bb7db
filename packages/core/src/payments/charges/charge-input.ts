import { z } from 'zod';
import { AmountInput, CurrencyInput, EmailInput, text } from '../../kernel/input/input.ts';
import { MetadataInput } from '../../kernel/input/metadata.ts';
import { ShippingInput, unsettable } from '../contacts/contact-input.ts';

/** The characters that networks print: 5-22 printable ASCII characters without `< > \ ' " *`. */
const StatementDescriptorInput = z
  .string()
  .regex(/^[\x20-\x7e]{5,22}$/, { error: 'A statement descriptor has 5-22 ASCII characters.' })
  .regex(/^[^<>\\'"*]*$/, { error: 'A statement descriptor must not contain < > \\ \' " *.' })
  .meta({
    description: '5-22 printable ASCII characters without `< > \\ \' " *`.',
    override: ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) => {
      delete jsonSchema.allOf;
      jsonSchema.maxLength = 22;
    },
  });

/**
 * Marked with a star in the reference: these may change after creation; an empty text removes the
 * value.
 */
const writable = {
  description: unsettable(text(1000)),
  statement_descriptor: unsettable(StatementDescriptorInput),
  receipt_email: unsettable(EmailInput),
  shipping: unsettable(ShippingInput),
  metadata: MetadataInput.optional(),
};

export const ChargeCreateInput = z
  .strictObject({
    amount: AmountInput,
    currency: CurrencyInput,
    payment_method: z.string().max(255).optional().meta({
      description:
        'A `pm_` id, or a test card such as `pm_card_visa`, or `pm_usBankAccount_success`.',
    }),
    source: z
      .string()
      .max(255)
      .optional()
      .meta({ description: 'A `tok_`, `btok_` or `pm_` id; the name that the SDKs use.' }),
    customer: z.string().max(255).optional().meta({
      description:
        'A `cus_` id. Its default payment method pays, or another one that is attached to it.',
    }),
    capture: z.boolean().default(true),
    off_session: z.boolean().optional().meta({
      description: 'The payer is absent, and cannot authenticate. The processor gets this fact.',
    }),
    ...writable,
  })
  .meta({ id: 'ChargeCreate' });

export const ChargeUpdateInput = z.strictObject(writable).meta({ id: 'ChargeUpdate' });

export const ChargeCaptureInput = z
  .strictObject({
    amount: AmountInput.optional().meta({
      description: 'The full amount if absent; the rest is released.',
    }),
  })
  .meta({ id: 'ChargeCapture' });

export type ChargeCreate = z.output<typeof ChargeCreateInput>;
export type ChargeUpdate = z.output<typeof ChargeUpdateInput>;
export type ChargeCapture = z.output<typeof ChargeCaptureInput>;
