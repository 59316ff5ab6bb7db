import { parseId } from '../../kernel/basics/id.ts';
import type { PaymentRepositories } from '../payment-storage.ts';
import type { Operation } from './operation.ts';

/** The id of the object whose row is locked to settle an operation: all that it changes follows. */
export function rootOf({ chargeId, subjectId }: Operation): string {
  return chargeId ?? subjectId;
}

/**
 * Locks the row of an operation's root, so that two callers who settle the operation take turns
 * instead of racing. Call it before any other lock.
 */
export async function lockRoot(rows: PaymentRepositories, operation: Operation): Promise<void> {
  const { chargeId, subjectId } = operation;
  if (chargeId !== undefined) {
    await rows.charges.findForUpdate(operation, chargeId);
    return;
  }
  const payoutId = parseId('po', subjectId);
  if (payoutId !== undefined) await rows.payouts.findForUpdate(operation, payoutId);
}
