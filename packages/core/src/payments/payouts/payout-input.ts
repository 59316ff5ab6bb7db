import { z } from 'zod';
import { withErrorHint } from '../../kernel/errors/error-hints.ts';
import { AmountInput, CurrencyInput, text } from '../../kernel/input/input.ts';
import { MetadataInput } from '../../kernel/input/metadata.ts';
import { unsettable } from '../contacts/contact-input.ts';
import { TestClockParam } from '../test-clocks/test-clock-input.ts';

export const PayoutCreateInput = z
  .strictObject({
    amount: AmountInput,
    currency: CurrencyInput,
    destination: z.string().max(255).optional().meta({
      description: 'The id of a bank account in this currency; absent: its default.',
    }),
    description: text(1000).optional(),
    statement_descriptor: withErrorHint(
      z
        .string()
        .regex(/^[ -~]{5,22}$/)
        .regex(/^[^<>\\'"*]*$/),
      `5 to 22 ASCII characters without < > \\ ' " *`,
    )
      .optional()
      .meta({ description: 'What the owner of the bank account reads, if the bank shows it.' }),
    metadata: MetadataInput.optional(),
    test_clock: TestClockParam,
  })
  .meta({ id: 'PayoutCreate' });

export const PayoutUpdateInput = z
  .strictObject({ description: unsettable(text(1000)), metadata: MetadataInput.optional() })
  .meta({ id: 'PayoutUpdate' });

export type PayoutCreate = z.output<typeof PayoutCreateInput>;
export type PayoutUpdate = z.output<typeof PayoutUpdateInput>;
