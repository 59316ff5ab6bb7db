import type { OperationId } from '@paymount/core/kernel';
import type { Notice, PlannedNotice } from '@paymount/core/payments';
import { doneAt, type Executed, returnedAt } from './executed.ts';
import { payoutBehavior } from './test-bank-accounts.ts';

/**
 * What is reported of a payout that the bank takes and then returns. A look-up after the return knows
 * only that it failed, so that it was paid is reported too.
 * @param reference the processor reference of the operation
 */
export function planPayouts(
  executed: Executed,
  operationId: OperationId,
  reference: string,
): readonly PlannedNotice[] {
  const { kind, card, clock } = executed;
  const behavior = payoutBehavior(card);
  if (kind !== 'payout' || behavior.does !== 'return') return [];
  const { code, message } = behavior.decline;
  const plan = (said: Pick<Notice, 'kind' | 'data'>, occurredAt: Date): PlannedNotice => {
    const noticeId = `${said.kind}_${operationId}`;
    const named = { operationId, processorReference: reference, occurredAt };
    const text = JSON.stringify({ noticeId, ...named, ...said });
    return { noticeId, dueAt: occurredAt, text, ...(clock === undefined ? {} : { clock }) };
  };
  return [
    plan({ kind: 'payout.paid', data: {} }, doneAt(executed, 'payout')),
    plan({ kind: 'payout.failed', data: { code, message } }, returnedAt(executed)),
  ];
}
