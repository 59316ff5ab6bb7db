import { z } from 'zod';
import { AmountInput, CurrencyInput, reason } from '../../kernel/input/input.ts';
import { ADJUSTMENT_KINDS } from '../../ledger/adjustment-recipes.ts';

export const AdjustmentCreateInput = z
  .strictObject({
    account: z.string().max(255),
    livemode: z.boolean(),
    kind: z.enum(ADJUSTMENT_KINDS).meta({
      description:
        '`reserve`: available funds become reserved. `release`: reserved funds become available. ' +
        '`write_off`: you bear a debt of the balance.',
    }),
    amount: AmountInput,
    currency: CurrencyInput,
    reason: reason(500).meta({ description: 'Kept in the audit log.' }),
  })
  .meta({ id: 'AdjustmentCreate' });

export type AdjustmentCreate = Omit<z.output<typeof AdjustmentCreateInput>, 'account' | 'livemode'>;
