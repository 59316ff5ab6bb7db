import type { Charge } from '../charges/charge.ts';
import { type Dispute, isChargeback } from '../disputes/dispute.ts';
import { disputeChange } from '../disputes/dispute-change.ts';
import { alertEnded } from '../disputes/dispute-moves.ts';
import { placeRuling } from '../disputes/dispute-rounds.ts';
import { isAllowed } from '../disputes/dispute-states.ts';
import { rulingChange } from '../disputes/rulings.ts';
import type { Operation } from '../operations/operation.ts';
import type { NoticeOf } from '../processor/notice.ts';
import { already, contradiction, early, type NoticeDecision, OUTDATED } from './notice-applier.ts';
import type { NoticeRepositories } from './notice-storage.ts';
import { findCharge, readRound } from './reported-dispute.ts';

/** Ends a dispute as the processor reports: an alert that is over, or the issuer's ruling. */
export async function applyDisputeEnd(
  notice: NoticeOf<'dispute.closed'>,
  operation: Operation,
  rows: NoticeRepositories,
  at: Date,
): Promise<NoticeDecision> {
  const { disputeReference: reference, outcome } = notice.data;
  const read = readRound(notice.data);
  if ('decision' in read) return read;
  const { round } = read;
  const reported = { environment: operation.environment, processor: operation.processor };
  const dispute = await rows.disputes.findByReference(reported, reference);
  const charge = await findCharge(operation, rows);
  if (dispute === undefined || charge === undefined) {
    return early(`Dispute ${reference} was not reported yet.`);
  }
  if (dispute.chargeId !== charge.id) {
    return contradiction(`Dispute ${reference} is of charge ${dispute.chargeId}.`);
  }
  if (outcome === 'warning_closed') return endAlert(dispute, charge, reference, at);
  // Nobody rules about an alert, and another chargeback may have continued the alert of this one.
  if (!isChargeback(dispute) || dispute.processorReference !== reference) {
    return early(`The chargeback of dispute ${reference} was not reported yet.`);
  }
  const ruledAt = notice.occurredAt;
  const said = { outcome, at: ruledAt, ...(round !== undefined && { round }) };
  const placed = placeRuling(dispute, said);
  if (placed.place === 'outdated') return already(OUTDATED);
  if (placed.place === 'contradicts') {
    const inRound = dispute.round === 1 ? '' : ` in round ${dispute.round}`;
    return contradiction(
      `It is ${outcome} at the processor; dispute ${dispute.id} is ${dispute.status}${inRound}.`,
    );
  }
  if (placed.place !== 'new') return already();
  const context = { dispute, charge, all: await rows.disputes.ofCharge(charge, charge.id) };
  const ruling = { outcome, round: placed.round, ruledAt };
  const change = rulingChange(context, ruling, { at, source: 'processor' });
  return change === undefined
    ? early(`Other chargebacks have taken what dispute ${dispute.id} gave back.`)
    : { decision: 'applied', change };
}

/** An alert ends by a refund too, and by its chargeback. */
function endAlert(dispute: Dispute, charge: Charge, reference: string, at: Date): NoticeDecision {
  const isAlert = reference === dispute.processorReference;
  if (!isAlert || !isAllowed('alert_ended', dispute.status)) return already();
  const from = { isNew: false, charge, changesCharge: false };
  const change = disputeChange([alertEnded(dispute)], from, { at, source: 'processor' });
  return { decision: 'applied', change };
}
