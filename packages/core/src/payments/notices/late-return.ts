import { toDebitRefusal } from '../charges/bank-returns.ts';
import type { Charge } from '../charges/charge.ts';
import type { NoticeOf } from '../processor/notice.ts';
import type { NoticeDecision } from './notice-applier.ts';

/**
 * A bank debit that was returned after it had cleared becomes a dispute, lost at once: nobody can
 * contest a return.
 * @param charge of the debit, under its lock
 * @param applyChargeback what applies a chargeback that a processor reports
 */
export function returnAfterClearing(
  notice: NoticeOf<'charge.failed'>,
  charge: Extract<Charge, { status: 'succeeded' }>,
  applyChargeback: (opened: NoticeOf<'dispute.opened'>) => Promise<NoticeDecision>,
): Promise<NoticeDecision> {
  const { reason, returnCode } = toDebitRefusal(notice.data);
  const data = {
    // A debit is returned once, whatever notices say so.
    disputeReference: `return_${charge.id}`,
    amount: charge.amountCaptured,
    currency: charge.currency,
    reason,
    ...(returnCode === undefined ? {} : { networkReasonCode: returnCode }),
    contestable: false,
  };
  return applyChargeback({ ...notice, kind: 'dispute.opened', data });
}
