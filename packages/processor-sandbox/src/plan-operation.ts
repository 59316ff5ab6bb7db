import type { PlannedNotice } from '@paymount/core/payments';
import type { Executed } from './executed.ts';
import { planDisputes } from './planned-disputes.ts';
import { planNotices } from './planned-notices.ts';
import { planPayouts } from './planned-payouts.ts';
import { planSettlements } from './planned-settlements.ts';
import { type DebitTimes, type Named, planDebit } from './test-bank-debits.ts';

/**
 * All that the sandbox reports later about an operation that it executes.
 * @param how `isSale`: an authorization that is captured at once
 */
export function planOperation(
  executed: Executed,
  named: Named,
  how: DebitTimes & { readonly isSale: boolean; readonly settlementLines: boolean },
): readonly PlannedNotice[] {
  const { operationId, processorReference: reference } = named;
  const { kind, clock } = executed;
  const isCaptured = kind === 'capture' || (kind === 'authorize' && how.isSale);
  // Settlements are compared in the time that everybody shares, and leave out what is on a clock.
  const isSettled = how.settlementLines && clock === undefined;
  const settles = isSettled && (isCaptured || kind === 'refund');
  return [
    ...planNotices(executed, operationId, reference),
    ...planPayouts(executed, operationId, reference),
    ...planDebit(executed, named, how),
    ...(isCaptured ? planDisputes(executed, named, how) : []),
    ...(settles ? planSettlements(executed, named, how) : []),
  ];
}
