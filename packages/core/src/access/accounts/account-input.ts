import { z } from 'zod';
import { withErrorHint } from '../../kernel/errors/error-hints.ts';
import { COUNTRY_HINT, isCountry } from '../../kernel/input/country.ts';
import { CurrencyInput, EmailInput, name } from '../../kernel/input/input.ts';

export const AccountCreateInput = z
  .strictObject({
    name: name(200),
    email: z
      .union([z.literal(''), z.null(), EmailInput])
      .optional()
      .meta({ description: 'The address for notices.' }),
    country: withErrorHint(
      z.string().refine(isCountry).meta({ description: 'ISO 3166-1 alpha-2.', example: 'DE' }),
      COUNTRY_HINT,
    ),
    default_currency: CurrencyInput,
  })
  .meta({ id: 'AccountCreate' });

export const AccountUpdateInput = z
  .strictObject({
    name: name(200).optional(),
    email: z
      .union([z.literal(''), z.null(), EmailInput])
      .optional()
      .meta({ description: 'Null or an empty text removes it.' }),
  })
  .meta({ id: 'AccountUpdate' });

export type AccountCreate = z.output<typeof AccountCreateInput>;
export type AccountUpdate = z.output<typeof AccountUpdateInput>;
