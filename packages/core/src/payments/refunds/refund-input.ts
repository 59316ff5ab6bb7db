import { z } from 'zod';
import { AmountInput } from '../../kernel/input/input.ts';
import { MetadataInput } from '../../kernel/input/metadata.ts';

export const RefundCreateInput = z
  .strictObject({
    charge: z.string().max(255),
    amount: AmountInput.optional().meta({ description: 'The rest of the charge when absent.' }),
    reason: z.enum(['duplicate', 'fraudulent', 'requested_by_customer']).optional(),
    metadata: MetadataInput.optional(),
  })
  .meta({ id: 'RefundCreate' });

export const RefundUpdateInput = z
  .strictObject({ metadata: MetadataInput.optional() })
  .meta({ id: 'RefundUpdate' });

export type RefundCreate = z.output<typeof RefundCreateInput>;
export type RefundUpdate = z.output<typeof RefundUpdateInput>;
