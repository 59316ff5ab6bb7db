import type { Notice, PlannedNotice } from '@paymount/core/payments';
import { decide } from './decide.ts';
import type { Executed } from './executed.ts';
import { type DebitTimes, debitEndsAt, type Named } from './test-bank-debits.ts';
import { SOON_MS } from './timings.ts';

/**
 * The line of a settlement about money that moved: a charge that was captured, a bank debit that has
 * cleared, or a refund. Two seconds later the bank has it; what is pending until then is decided by
 * then.
 */
export function planSettlements(
  executed: Executed,
  named: Named,
  { calendarTimes }: DebitTimes,
): readonly PlannedNotice[] {
  const { kind, amount, currency, at } = executed;
  const { operationId, processorReference } = named;
  const movedAt = debitEndsAt(executed, { calendarTimes }) ?? at;
  const settledOn = new Date(movedAt.getTime() + SOON_MS);
  const outcome = decide(executed, processorReference, { now: settledOn, calendarTimes });
  if (outcome === 'silence' || outcome.outcome !== 'approved') return [];
  const isRefund = kind === 'refund';
  return [
    planLine({
      id: operationId,
      named,
      settledOn,
      currency,
      amount: isRefund ? -amount : amount,
      kind: isRefund ? 'refund' : 'payment',
    }),
  ];
}

/** @param line its own id, what it names, and what it says */
export function planLine(line: {
  readonly id: string;
  readonly named: Partial<Named>;
  readonly settledOn: Date;
  /** Minor units; negative if it lowers what the bank pays. */
  readonly amount: number;
  readonly currency: string;
  readonly kind: 'payment' | 'refund' | 'chargeback' | 'chargeback_reversal';
}): PlannedNotice {
  const { id, named, settledOn, amount, currency, kind } = line;
  const said: Pick<Notice, 'kind' | 'data'> = {
    kind: 'settlement_line',
    data: {
      lineId: `line_${id}`,
      amount,
      currency,
      kind,
      settledOn: settledOn.toISOString(),
    },
  };
  const noticeId = `settlement_line_${id}`;
  const text = JSON.stringify({ noticeId, ...named, occurredAt: settledOn, ...said });
  return { noticeId, dueAt: settledOn, text };
}
