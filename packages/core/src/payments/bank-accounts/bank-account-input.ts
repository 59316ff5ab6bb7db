import { z } from 'zod';
import { withErrorHint } from '../../kernel/errors/error-hints.ts';
import { COUNTRY_HINT, isCountry } from '../../kernel/input/country.ts';
import { CurrencyInput, name, reason } from '../../kernel/input/input.ts';
import { MetadataInput } from '../../kernel/input/metadata.ts';

const CountryInput = withErrorHint(
  z.string().refine(isCountry).meta({ description: 'ISO 3166-1 alpha-2.', example: 'US' }),
  COUNTRY_HINT,
);
const HolderNameInput = name(200).meta({ description: 'Who owns the bank account.' });

/** A bank account by its number. */
const BankAccountDataInput = z
  .strictObject({
    object: z.literal('bank_account'),
    country: CountryInput,
    currency: CurrencyInput,
    account_number: withErrorHint(
      z.string().regex(/^[0-9A-Za-z]{4,34}$/),
      'an account number or IBAN of 4 to 34 letters and digits, without spaces',
    ),
    routing_number: z
      .string()
      .min(1)
      .max(34)
      .optional()
      .meta({ description: 'Required in the US: nine digits.' }),
    account_holder_name: HolderNameInput.optional(),
    account_holder_type: z.enum(['individual', 'company']).optional(),
  })
  .meta({ id: 'BankAccountData' });

const DefaultInput = z.boolean().optional().meta({
  description:
    'Whether payouts in its currency go there. The first one of a currency is the default.',
});

/** The operator's reason for ending a hold. */
export const BankAccountConfirmInput = z
  .strictObject({
    reason: reason(500).meta({
      description:
        'The reason: how you know that the owner wants payouts to go there. It is stored in the audit log.',
    }),
  })
  .meta({ id: 'BankAccountConfirm' });

export const ExternalAccountCreateInput = z
  .strictObject({
    external_account: z.union([
      z.string().min(1).max(255).meta({
        description: "A `btok_` id, a test token such as `btok_us`, or the processor's own token.",
      }),
      BankAccountDataInput,
    ]),
    default_for_currency: DefaultInput,
    metadata: MetadataInput.optional(),
  })
  .meta({ id: 'ExternalAccountCreate' });

export const ExternalAccountUpdateInput = z
  .strictObject({
    default_for_currency: DefaultInput,
    account_holder_name: HolderNameInput.optional(),
    metadata: MetadataInput.optional(),
  })
  .meta({ id: 'ExternalAccountUpdate' });

export type ExternalAccountCreate = z.output<typeof ExternalAccountCreateInput>;
export type ExternalAccountUpdate = z.output<typeof ExternalAccountUpdateInput>;
export type BankAccountData = z.output<typeof BankAccountDataInput>;
