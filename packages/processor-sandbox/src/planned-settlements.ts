import type { OperationId } from '@paymount/core/kernel';
import type { Notice, PlannedNotice } from '@paymount/core/payments';
import { decide } from './decide.ts';
import type { Executed } from './executed.ts';
import { SOON_MS } from './timings.ts';

/**
 * The line of a settlement about money that moved: a charge that was captured, or a refund. Two
 * seconds later the bank has it; what is pending until then is decided by then.
 * @param reference the processor reference of the operation
 */
export function planSettlements(
  executed: Executed,
  operationId: OperationId,
  reference: string,
): readonly PlannedNotice[] {
  const { kind, amount, currency, at } = executed;
  const settledOn = new Date(at.getTime() + SOON_MS);
  const outcome = decide(executed, reference, { now: settledOn, calendarTimes: false });
  if (outcome === 'silence' || outcome.outcome !== 'approved') return [];
  const isRefund = kind === 'refund';
  const said: Pick<Notice, 'kind' | 'data'> = {
    kind: 'settlement_line',
    data: {
      ...{ lineId: `line_${operationId}`, currency, settledOn: settledOn.toISOString() },
      amount: isRefund ? -amount : amount,
      kind: isRefund ? 'refund' : 'payment',
    },
  };
  const noticeId = `settlement_line_${operationId}`;
  const named = { operationId, processorReference: reference, occurredAt: settledOn };
  const text = JSON.stringify({ noticeId, ...named, ...said });
  return [{ noticeId, dueAt: settledOn, text }];
}
