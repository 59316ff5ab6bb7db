import { z } from 'zod';
import { livemode, type Owner } from '../../kernel/basics/environment.ts';
import type { AdjustmentId, BalanceTransactionId } from '../../kernel/basics/id.ts';
import { TimestampResource } from '../../kernel/basics/resource.ts';
import { ADJUSTMENT_KINDS, type AdjustmentKind } from '../../ledger/adjustment-recipes.ts';

export const AdjustmentResource = z
  .strictObject({
    id: z.string(),
    object: z.literal('adjustment'),
    created: TimestampResource,
    account: z.string(),
    livemode: z.boolean(),
    kind: z.enum(ADJUSTMENT_KINDS),
    amount: z.int(),
    currency: z.string(),
    reason: z.string(),
    balance_transaction: z.string(),
  })
  .meta({ id: 'Adjustment' });

export type AdjustmentJson = z.output<typeof AdjustmentResource>;

/** What an admin booked on a balance. */
export interface Adjustment extends Owner {
  readonly id: AdjustmentId;
  readonly kind: AdjustmentKind;
  /** Minor units, above zero. */
  readonly amount: number;
  readonly currency: string;
  readonly reason: string;
  readonly balanceTransactionId: BalanceTransactionId;
  readonly created: Date;
}

/** Renders an adjustment for an admin. */
export function toAdjustmentResource(adjustment: Adjustment): AdjustmentJson {
  const { id, kind, amount, currency, reason } = adjustment;
  return {
    id,
    object: 'adjustment',
    created: adjustment.created.toISOString(),
    account: adjustment.accountId,
    livemode: livemode(adjustment.environment),
    kind,
    amount,
    currency,
    reason,
    balance_transaction: adjustment.balanceTransactionId,
  };
}
