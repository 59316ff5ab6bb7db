import { z } from 'zod';
import { AmountInput, name } from '../../kernel/input/input.ts';

const ReasonInput = name(500).meta({
  description: 'Why: how you know. It is kept with the operation and in the audit log.',
});

export const OperationSettleInput = z
  .strictObject({
    as: z.enum(['approved', 'declined', 'not_executed']).meta({
      description:
        '`approved`: the processor did it. `declined`: it refused. `not_executed`: it never got it.',
    }),
    reason: ReasonInput,
    processor_reference: name(255).optional().meta({
      description: 'What the processor calls it; required for `approved` when it never said so.',
    }),
    amount: AmountInput.optional().meta({
      description:
        'For `approved`: what was captured, when that is less than was asked, in minor units.',
    }),
  })
  .meta({ id: 'OperationSettle' });

export const OperationDismissInput = z
  .strictObject({ reason: ReasonInput })
  .meta({ id: 'OperationDismiss' });

export type OperationSettle = z.output<typeof OperationSettleInput>;
export type OperationDismiss = z.output<typeof OperationDismissInput>;
