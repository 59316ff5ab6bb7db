import { z } from 'zod';
import { AmountInput, name, reason } from '../../kernel/input/input.ts';

const ReasonInput = reason(500).meta({
  description:
    'The reason: how you know the outcome. It is stored with the operation and in the audit log.',
});

export const OperationSettleInput = z
  .strictObject({
    as: z.enum(['approved', 'declined', 'not_executed']).meta({
      description:
        '`approved`: the processor did it. `declined`: it refused. `not_executed`: it never got it.',
    }),
    reason: ReasonInput,
    processor_reference: name(255).optional().meta({
      description:
        "The processor's reference; required for `approved` if the processor never reported one.",
    }),
    amount: AmountInput.optional().meta({
      description:
        'For `approved`: the captured amount in minor units, if it is less than requested.',
    }),
  })
  .meta({ id: 'OperationSettle' });

export const OperationDismissInput = z
  .strictObject({ reason: ReasonInput })
  .meta({ id: 'OperationDismiss' });

/** The operator's reason for removing the hook. */
export const HookRemoveInput = z.strictObject({ reason: ReasonInput });

export type OperationSettle = z.output<typeof OperationSettleInput>;
export type OperationDismiss = z.output<typeof OperationDismissInput>;
