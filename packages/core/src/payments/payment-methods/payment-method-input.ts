import { z } from 'zod';
import { withErrorHint } from '../../kernel/errors/error-hints.ts';
import { CurrencyInput, MomentInput, name } from '../../kernel/input/input.ts';
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

/** A bank account in the US by its number. In live only where the processor takes numbers. */
const bankNumbers = {
  account_number: withErrorHint(
    z.string().regex(/^[0-9]{4,17}$/),
    'an account number of 4 to 17 digits, without spaces',
  ),
  routing_number: z
    .string()
    .min(1)
    .max(34)
    .meta({ description: 'Nine digits, of which the last one checks the others.' }),
  account_type: z.enum(['checking', 'savings']).default('checking'),
  account_holder_type: z.enum(['individual', 'company']).default('individual'),
};
const UsBankAccountInput = z.strictObject(bankNumbers).meta({ id: 'UsBankAccountInput' });

const BankTokenInput = z
  .strictObject({
    token: z
      .string()
      .min(1)
      .max(255)
      .meta({ description: "A `btok_` id, or the processor's own token." }),
  })
  .meta({ id: 'BankTokenInput' });

/** The names are those of the official SDK; it sends country and currency. */
const BankAccountInput = z
  .strictObject({
    ...bankNumbers,
    account_holder_name: name(200).optional(),
    country: z.literal('US').optional(),
    currency: CurrencyInput.optional(),
  })
  .meta({ id: 'BankAccountTokenInput' });

const MandateDataInput = z
  .strictObject({
    customer_acceptance: z.strictObject({
      type: z.enum(['online', 'offline']),
      accepted_at: MomentInput.optional().meta({ description: 'Now if absent.' }),
    }),
  })
  .meta({
    id: 'MandateDataInput',
    description: 'The consent of the holder of a bank account that it is debited.',
  });

export const PaymentMethodCreateInput = z
  .strictObject({
    type: z.enum(['card', 'us_bank_account']),
    card: z.union([CardTokenInput, CardInput]).optional(),
    us_bank_account: z.union([BankTokenInput, UsBankAccountInput]).optional(),
    mandate_data: MandateDataInput.optional(),
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

export const TokenCreateInput = z
  .strictObject({ card: CardInput.optional(), bank_account: BankAccountInput.optional() })
  .meta({ id: 'TokenCreate', description: 'Either a card or a bank account.' });

export type PaymentMethodCreate = z.output<typeof PaymentMethodCreateInput>;
export type PaymentMethodUpdate = z.output<typeof PaymentMethodUpdateInput>;
export type TokenCreate = z.output<typeof TokenCreateInput>;
