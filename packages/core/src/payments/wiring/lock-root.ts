import { parseId } from '../../kernel/basics/id.ts';
import { chargeIdOf } from '../charges/charge-of-operation.ts';
import type { ChargeRepository } from '../charges/charge-repository.ts';
import type { Operation } from '../operations/operation.ts';
import type { PayoutRepository } from '../payouts/payout-repository.ts';

/**
 * Locks the row of an operation's root, so that two callers who record its result take turns
 * instead of racing. Call it before any other lock.
 */
export async function lockRoot(
  rows: {
    readonly charges: Pick<ChargeRepository, 'findForUpdate'>;
    readonly payouts: Pick<PayoutRepository, 'findForUpdate'>;
  },
  operation: Operation,
): Promise<void> {
  const chargeId = chargeIdOf(operation);
  if (chargeId !== undefined) {
    await rows.charges.findForUpdate(operation, chargeId);
    return;
  }
  const payoutId = parseId('po', operation.subjectId);
  if (payoutId !== undefined) await rows.payouts.findForUpdate(operation, payoutId);
}
