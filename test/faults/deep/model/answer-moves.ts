import { afterAnswer } from './charge-moves.ts';
import type { Dispute } from './objects.ts';
import { type Expected, type Player, refused } from './player.ts';
import type { Of } from './steps.ts';

/** Evidence is sent at once, or stored first, or what was stored is sent. */
export async function evidence(player: Player, step: Of<'evidence'>): Promise<void> {
  const { book, setup } = player;
  const dispute = player.prefer(book.disputes, isAnswerable, step.pick);
  if (dispute === undefined) return;
  const { how } = step;
  const text = `Evidence ${step.text}`;
  const refusal = evidenceRefusal(player, dispute, how);
  const isSent = how !== 'stored';
  const body = {
    ...(how !== 'submitted' && { evidence: { uncategorized_text: text } }),
    ...(how !== 'sent' && { submit: isSent }),
  };
  const expected = refusal ?? (isSent ? afterAnswer(step.answer) : { status: 200 });
  await player.post(`disputes/${dispute.id}`, body, expected, refusal || !isSent ? {} : step);
  if (refusal) return;
  // A refusal of the bank changes nothing of what is stored.
  if (how !== 'submitted') dispute.evidence = text;
  if (!isSent) return;
  const texts = setup.bank.journal.get(dispute.id ?? '')?.at(-1)?.sent.evidence?.texts;
  if (JSON.stringify(texts) !== JSON.stringify({ uncategorized_text: dispute.evidence })) {
    throw new Error(`The bank got the evidence ${JSON.stringify(texts)} of ${dispute.id}`);
  }
  const { amount } = dispute;
  const isOfAlert = dispute.status === 'warning_needs_response';
  player.settleOrLeave(step.answer, { kind: 'evidence', amount, subject: dispute, isOfAlert });
}

function isAnswerable({ status }: Dispute): boolean {
  return status === 'needs_response' || status === 'warning_needs_response';
}

function evidenceRefusal(
  player: Player,
  dispute: Dispute,
  how: Of<'evidence'>['how'],
): Expected | undefined {
  const refusal = answerRefusal(dispute);
  const busy = player.book.openOf(dispute) && refused('operation_in_progress', 409);
  if (how === 'stored') return refusal ?? busy;
  const isEmpty = how === 'submitted' && dispute.evidence === null;
  return busy ?? refusal ?? (isEmpty ? refused('parameter_missing') : undefined);
}

/** The merchant accepts a chargeback. */
export async function close(player: Player, step: Of<'close'>): Promise<void> {
  const dispute = player.prefer(player.book.disputes, isAnswerable, step.pick);
  if (dispute === undefined) return;
  const isAlert = dispute.status === 'warning_needs_response';
  const refusal =
    (player.book.openOf(dispute) && refused('operation_in_progress', 409)) ??
    answerRefusal(dispute) ??
    (isAlert ? refused('status_transition_invalid') : undefined);
  const expected = refusal ?? afterAnswer(step.answer);
  await player.post(`disputes/${dispute.id}/close`, {}, expected, refusal ? {} : step);
  if (refusal) return;
  player.settleOrLeave(step.answer, { kind: 'close', amount: dispute.amount, subject: dispute });
}

function answerRefusal(dispute: Dispute): Expected | undefined {
  const { status, closedReason, dueAtMs, charge } = dispute;
  switch (status) {
    case 'under_review':
      return refused('status_transition_invalid');
    case 'needs_response':
    case 'warning_needs_response':
      return dueAtMs <= charge.timeline.nowMs ? refused('dispute_already_closed') : undefined;
    case 'lost':
      return refused(
        closedReason === 'not_contestable' ? 'dispute_not_contestable' : 'dispute_already_closed',
      );
    case 'won':
    case 'prevented':
    case 'warning_closed':
      return refused('dispute_already_closed');
  }
}
