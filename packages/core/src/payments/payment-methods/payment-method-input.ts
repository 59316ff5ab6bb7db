import { z } from 'zod';
import { withErrorHint } from '../../kernel/errors/error-hints.ts';
import { withLeadingZero } from '../../kernel/input/leading-zero.ts';
import { MetadataInput } from '../../kernel/input/metadata.ts';
import { BillingDetailsInput } from '../contacts/contact-input.ts';

const CENTURY = 2000;
const MonthInput = withLeadingZero(
  withErrorHint(
    z
      .int()
      .refine((month) => month >= 1 && month <= 12, {
        error: 'An expiry month is 1-12.',
        params: { code: 'invalid_expiry_month' },
      })
      .meta({ override: { minimum: 1, maximum: 12 } }),
    'an integer from 1 to 12',
  ),
);
const YearInput = withLeadingZero(
  withErrorHint(
    z
      .int()
      .refine((year) => (year >= 0 && year <= 99) || (year >= 2000 && year <= 2100), {
        error: 'An expiry year has two or four digits.',
        params: { code: 'invalid_expiry_year' },
      })
      .transform((year) => (year <= 99 ? CENTURY + year : year))
      .meta({ description: 'Four digits.', override: { minimum: 2000, maximum: 2100 } }),
    'a year of two or four digits',
  ),
);

/** Raw card data: the test environment only. */
const CardInput = z
  .strictObject({
    number: z.string().regex(/^[0-9 ]{12,23}$/, { error: 'A card number has 12-19 digits.' }),
    exp_month: MonthInput,
    exp_year: YearInput,
    cvc: z
      .string()
      .regex(/^[0-9]{3,4}$/, { error: 'A security code has 3 or 4 digits.' })
      .optional(),
  })
  .meta({ id: 'CardInput' });

const CardTokenInput = z
  .strictObject({
    token: z
      .string()
      .min(1)
      .max(255)
      .meta({ description: "A `tok_` id, or the processor's own token." }),
  })
  .meta({ id: 'CardTokenInput' });

export const PaymentMethodCreateInput = z
  .strictObject({
    type: z.enum(['card']),
    card: z.union([CardTokenInput, CardInput]),
    billing_details: BillingDetailsInput.optional(),
    metadata: MetadataInput.optional(),
  })
  .meta({ id: 'PaymentMethodCreate' });

export const PaymentMethodUpdateInput = z
  .strictObject({
    billing_details: BillingDetailsInput.optional(),
    card: z
      .strictObject({ exp_month: MonthInput.optional(), exp_year: YearInput.optional() })
      .optional(),
    metadata: MetadataInput.optional(),
  })
  .meta({ id: 'PaymentMethodUpdate' });

export const PaymentMethodAttachInput = z
  .strictObject({ customer: z.string().min(1).max(255).meta({ description: 'A `cus_` id.' }) })
  .meta({ id: 'PaymentMethodAttach' });

export const TokenCreateInput = z.strictObject({ card: CardInput }).meta({ id: 'TokenCreate' });

export type PaymentMethodCreate = z.output<typeof PaymentMethodCreateInput>;
export type PaymentMethodUpdate = z.output<typeof PaymentMethodUpdateInput>;
export type TokenCreate = z.output<typeof TokenCreateInput>;
