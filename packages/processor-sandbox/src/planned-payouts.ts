import type { OperationId } from '@paymount/core/kernel';
import type { Notice, PlannedNotice } from '@paymount/core/payments';
import { type Executed, RETURN_AFTER_MS, SETTLE_AFTER_MS } from './executed.ts';
import { payoutBehavior } from './test-bank-accounts.ts';

/**
 * What is reported of a payout that the bank takes and then returns. A look-up after the return knows
 * only that it failed, so that it was paid is reported too.
 * @param reference the processor reference of the operation
 */
export function planPayouts(
  { kind, card, at }: Executed,
  operationId: OperationId,
  reference: string,
): readonly PlannedNotice[] {
  const behavior = payoutBehavior(card);
  if (kind !== 'payout' || behavior.does !== 'return') return [];
  const { code, message } = behavior.decline;
  const plan = (said: Pick<Notice, 'kind' | 'data'>, afterMs: number): PlannedNotice => {
    const occurredAt = new Date(at.getTime() + afterMs);
    const noticeId = `${said.kind}_${operationId}`;
    const named = { operationId, processorReference: reference, occurredAt };
    return { noticeId, dueAt: occurredAt, text: JSON.stringify({ noticeId, ...named, ...said }) };
  };
  return [
    plan({ kind: 'payout.paid', data: {} }, SETTLE_AFTER_MS),
    plan({ kind: 'payout.failed', data: { code, message } }, RETURN_AFTER_MS),
  ];
}
