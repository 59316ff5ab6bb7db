import { z } from 'zod';
import { CurrencyInput, text } from '../../kernel/input/input.ts';
import { MetadataInput } from '../../kernel/input/metadata.ts';
import { unsettable } from '../../payments/contacts/contact-input.ts';

const MAX_AMOUNT = 99_999_999;

/** A signed amount: its size has the limits of every amount. */
const SignedAmountInput = z
  .int()
  .refine((amount) => amount !== 0, {
    error: 'An amount is not 0: send a negative one for a credit, or a positive one for a debit.',
    params: { code: 'amount_too_small' },
    abort: true,
  })
  .refine((amount) => Math.abs(amount) <= MAX_AMOUNT, {
    error: 'An amount is at most 99,999,999 minor units above or below zero.',
    params: { code: 'amount_too_large' },
  })
  .meta({
    description:
      'Minor units of the currency, -99,999,999 to 99,999,999 and not 0. Negative: a credit of the ' +
      'customer, which the next invoice takes off.',
    example: -500,
    override: { minimum: -MAX_AMOUNT, maximum: MAX_AMOUNT },
  });

const editable = {
  description: unsettable(text(1000)),
  metadata: MetadataInput.optional(),
};

export const CustomerBalanceTransactionCreateInput = z
  .strictObject({ amount: SignedAmountInput, currency: CurrencyInput, ...editable })
  .meta({ id: 'CustomerBalanceTransactionCreate' });

export const CustomerBalanceTransactionUpdateInput = z
  .strictObject(editable)
  .meta({ id: 'CustomerBalanceTransactionUpdate' });

export type BalanceTransactionCreate = z.output<typeof CustomerBalanceTransactionCreateInput>;
export type BalanceTransactionUpdate = z.output<typeof CustomerBalanceTransactionUpdateInput>;
