import { z } from 'zod';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { CurrencyInput, MomentInput, text } from '../../kernel/input/input.ts';
import { MetadataInput, mergeMetadata } from '../../kernel/input/metadata.ts';
import { mergedText, unsettable } from '../../payments/contacts/contact-input.ts';
import { COLLECTION_METHODS, type InvoiceEdit } from './invoice.ts';

const MAX_DAYS_UNTIL_DUE = 365;

const IdInput = z.string().min(1).max(255);

const editable = {
  auto_advance: z.boolean().optional().meta({
    description: 'Whether it is finalized an hour after it was created, and charged. Absent: no.',
  }),
  collection_method: z.enum(COLLECTION_METHODS).optional(),
  days_until_due: z.int().min(0).max(MAX_DAYS_UNTIL_DUE).optional().meta({
    description: 'Of `send_invoice`: the days from its finalization.',
  }),
  due_date: MomentInput.optional().meta({ description: 'Of `send_invoice`.' }),
  default_payment_method: unsettable(IdInput).meta({
    description: 'Absent: the default payment method of the customer.',
  }),
  description: unsettable(text(1500)).meta({ description: 'What the customer reads above it.' }),
  footer: unsettable(text(5000)).meta({ description: 'What the customer reads below it.' }),
  metadata: MetadataInput.optional(),
};

export const InvoiceCreateInput = z
  .strictObject({
    customer: IdInput.meta({ description: 'Who pays it.' }),
    currency: CurrencyInput.optional().meta({
      description: 'Absent: that of the oldest invoice item that waits.',
    }),
    pending_invoice_items_behavior: z.enum(['exclude', 'include']).optional().meta({
      description: 'Whether it takes what waits for the customer, the oldest 250. Absent: no.',
    }),
    ...editable,
  })
  .meta({ id: 'InvoiceCreate' });

export const InvoiceUpdateInput = z.strictObject(editable).meta({ id: 'InvoiceUpdate' });

export const InvoiceFinalizeInput = z
  .strictObject({ auto_advance: editable.auto_advance })
  .meta({ id: 'InvoiceFinalize' });

export const InvoicePayInput = z
  .strictObject({
    payment_method: IdInput.optional().meta({
      description: 'One that is attached to the customer. Absent: the default of the invoice.',
    }),
    paid_out_of_band: z.boolean().optional().meta({
      description: 'It was paid elsewhere: nothing is charged.',
    }),
    off_session: z.boolean().optional().meta({
      description: 'Whether the payer is absent. Absent: yes.',
    }),
  })
  .meta({ id: 'InvoicePay' });

export type InvoiceCreate = z.output<typeof InvoiceCreateInput>;
export type InvoiceUpdate = z.output<typeof InvoiceUpdateInput>;
export type InvoiceFinalize = z.output<typeof InvoiceFinalizeInput>;
export type InvoicePay = z.output<typeof InvoicePayInput>;

export const BLANK_INVOICE: InvoiceEdit = {
  autoAdvance: false,
  collectionMethod: 'charge_automatically',
  daysUntilDue: null,
  dueDate: null,
  defaultPaymentMethodId: null,
  description: null,
  footer: null,
  metadata: {},
};

/**
 * Applies a caller's fields to the stored ones, but for the payment method.
 * @param now no invoice is due before it
 * @throws PaymountError `parameters_exclusive`, `parameter_missing`, `parameter_invalid`,
 *   `metadata_limit_exceeded`
 */
export function mergeInvoice(stored: InvoiceEdit, input: InvoiceUpdate, now: Date): InvoiceEdit {
  const collectionMethod = input.collection_method ?? stored.collectionMethod;
  return {
    ...stored,
    collectionMethod,
    ...mergeDue({ ...stored, collectionMethod }, input, now),
    autoAdvance: input.auto_advance ?? stored.autoAdvance,
    description: mergedText(stored.description, input.description),
    footer: mergedText(stored.footer, input.footer),
    metadata: mergeMetadata(stored.metadata, input.metadata),
  };
}

/** A customer who is charged needs no date; one who is asked to pay does. */
function mergeDue(
  stored: Pick<InvoiceEdit, 'collectionMethod' | 'daysUntilDue' | 'dueDate'>,
  { days_until_due: days, due_date: date }: InvoiceUpdate,
  now: Date,
): Pick<InvoiceEdit, 'daysUntilDue' | 'dueDate'> {
  const param = days === undefined ? 'due_date' : 'days_until_due';
  if (stored.collectionMethod === 'charge_automatically') {
    if (days === undefined && date === undefined) return { daysUntilDue: null, dueDate: null };
    const message = `Send collection_method=send_invoice with ${param}.`;
    throw new PaymountError('parameters_exclusive', message, { param });
  }
  if (days !== undefined && date !== undefined) {
    const message = 'Send either days_until_due or due_date, not both.';
    throw new PaymountError('parameters_exclusive', message, { param: 'due_date' });
  }
  if (date !== undefined && date <= now) {
    const message = 'due_date must be in the future.';
    throw new PaymountError('parameter_invalid', message, { param });
  }
  if (days !== undefined) return { daysUntilDue: days, dueDate: null };
  if (date !== undefined) return { daysUntilDue: null, dueDate: date };
  if (stored.daysUntilDue === null && stored.dueDate === null) {
    const message = 'Send days_until_due or due_date with collection_method=send_invoice.';
    throw new PaymountError('parameter_missing', message, { param: 'days_until_due' });
  }
  return { daysUntilDue: stored.daysUntilDue, dueDate: stored.dueDate };
}
