import { z } from 'zod';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { CurrencyInput, MomentInput, text } from '../../kernel/input/input.ts';
import { MetadataInput, mergeMetadata } from '../../kernel/input/metadata.ts';
import { unsettable } from '../../payments/contacts/contact-input.ts';
import type { InvoiceItemEdit } from './invoice-item.ts';
import { MAX_INVOICE_AMOUNT } from './invoice-lines.ts';

const MAX_QUANTITY = 999_999;

/** Minor units of a line; negative: a credit. */
const SignedAmountInput = z
  .int()
  .refine((amount) => Math.abs(amount) <= MAX_INVOICE_AMOUNT, {
    error: 'A line is from -99,999,999 to 99,999,999 minor units.',
    params: { code: 'amount_too_large' },
  })
  .meta({
    description: 'Minor units of the currency; negative: a credit.',
    example: 1900,
    override: { minimum: -MAX_INVOICE_AMOUNT, maximum: MAX_INVOICE_AMOUNT },
  });

const QuantityInput = z
  .int()
  .min(0)
  .max(MAX_QUANTITY)
  .optional()
  .meta({ description: 'How many of them; absent: 1. Not together with `amount`.' });

const PeriodInput = z
  .strictObject({ start: MomentInput, end: MomentInput })
  .superRefine(({ start, end }, context) => {
    if (start <= end) return;
    const message = 'A period must not end before it starts.';
    context.addIssue({ code: 'custom', message, path: ['end'] });
  })
  .meta({ id: 'LinePeriodInput', description: 'The time that is paid for.' });

const editable = {
  amount: SignedAmountInput.optional(),
  unit_amount: SignedAmountInput.optional().meta({
    description: 'Minor units of one. Send this, `amount` or a price.',
  }),
  quantity: QuantityInput,
  description: unsettable(text(500)).meta({
    description: 'What the customer reads. Absent: the name of the product, if a price is named.',
  }),
  period: PeriodInput.optional(),
  metadata: MetadataInput.optional(),
};

const IdInput = z.string().min(1).max(255);

export const InvoiceItemCreateInput = z
  .strictObject({
    customer: IdInput.meta({ description: 'Who pays it.' }),
    currency: CurrencyInput.optional().meta({ description: 'Absent: that of the price.' }),
    price: IdInput.optional().meta({ description: 'A price that is charged once.' }),
    pricing: z
      .strictObject({ price: IdInput.optional() })
      .optional()
      .meta({ id: 'PricingInput', description: 'The name that newer SDKs use for `price`.' }),
    invoice: IdInput.optional().meta({
      description: 'A draft to which it is added; absent: it waits for the next invoice.',
    }),
    ...editable,
  })
  .meta({ id: 'InvoiceItemCreate' });

export const InvoiceItemUpdateInput = z.strictObject(editable).meta({ id: 'InvoiceItemUpdate' });

export type InvoiceItemCreate = z.output<typeof InvoiceItemCreateInput>;
export type InvoiceItemUpdate = z.output<typeof InvoiceItemUpdateInput>;

/**
 * Applies a caller's fields to the stored ones.
 * @throws PaymountError `parameters_exclusive`, `amount_too_large`, `metadata_limit_exceeded`
 */
export function mergeItem(stored: InvoiceItemEdit, input: InvoiceItemUpdate): InvoiceItemEdit {
  const priced = mergePricing(stored, input);
  if (Math.abs(priced.unitAmount * priced.quantity) > MAX_INVOICE_AMOUNT) {
    const message = 'Quantity times amount is more than 99,999,999 minor units.';
    throw new PaymountError('amount_too_large', message, {
      param: input.quantity === undefined ? 'amount' : 'quantity',
    });
  }
  return {
    ...priced,
    description: input.description ?? stored.description,
    periodStart: input.period?.start ?? stored.periodStart,
    periodEnd: input.period?.end ?? stored.periodEnd,
    metadata: mergeMetadata(stored.metadata, input.metadata),
  };
}

/** `amount` is the whole of it, and so the quantity is 1. */
function mergePricing(
  stored: Pick<InvoiceItemEdit, 'unitAmount' | 'quantity'>,
  { amount, unit_amount: unitAmount, quantity }: InvoiceItemUpdate,
): Pick<InvoiceItemEdit, 'unitAmount' | 'quantity'> {
  if (amount === undefined) {
    return {
      unitAmount: unitAmount ?? stored.unitAmount,
      quantity: quantity ?? stored.quantity,
    };
  }
  if (unitAmount !== undefined || quantity !== undefined) {
    const param = unitAmount === undefined ? 'quantity' : 'unit_amount';
    const message = 'Send either amount, or unit_amount and quantity.';
    throw new PaymountError('parameters_exclusive', message, { param });
  }
  return { unitAmount: amount, quantity: 1 };
}
