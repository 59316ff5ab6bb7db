import { z } from 'zod';
import { CurrencyInput, EmailInput, name } from '../shared/input.ts';

export const AccountCreateInput = z
  .strictObject({
    name: name(200),
    email: EmailInput.optional().meta({ description: 'Where notices go.' }),
    country: z
      .string()
      .regex(/^[A-Z]{2}$/, { error: 'A country is an ISO 3166-1 alpha-2 code, such as DE.' }),
    default_currency: CurrencyInput,
  })
  .meta({ id: 'AccountCreate' });

export const AccountUpdateInput = z
  .strictObject({
    name: name(200).optional(),
    email: z.union([z.literal(''), EmailInput]).optional(),
  })
  .meta({ id: 'AccountUpdate' });

export type AccountCreate = z.output<typeof AccountCreateInput>;
export type AccountUpdate = z.output<typeof AccountUpdateInput>;
