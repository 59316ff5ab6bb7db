import type { DisputeAnswer, Notice, PlannedNotice } from '@paymount/core/payments';
import { doneAt, type Executed } from './executed.ts';
import { planLine } from './planned-settlements.ts';
import type { Named } from './test-bank-debits.ts';
import { SOON_MS } from './timings.ts';

type DisputeKind = 'dispute.alert' | 'dispute.opened';

/** What the issuer of each card says about a charge, in order; each step takes as long. */
const STEPS: Readonly<Record<string, readonly DisputeKind[]>> = {
  createDispute: ['dispute.opened'],
  createDisputeProductNotReceived: ['dispute.opened'],
  createDisputeInquiry: ['dispute.alert'],
  alert_then_chargeback: ['dispute.alert', 'dispute.opened'],
};

/** Whether the money that disputes move has settlement lines. */
interface Settling {
  readonly settlementLines: boolean;
}

/** The evidence that the issuer of the sandbox understands, in any field. */
const DECISIVE_EVIDENCE = [
  'winning_evidence',
  'losing_evidence',
  'escalate_inquiry_evidence',
] as const;

/** The text that decides a dispute, or `evidence`. */
export function evidenceName({ evidence }: DisputeAnswer): string {
  const texts = Object.values(evidence.texts);
  return DECISIVE_EVIDENCE.find((text) => texts.includes(text)) ?? 'evidence';
}

/**
 * The disputes of a charge that was captured, with the settlement lines of chargebacks.
 * @param processorReference of the operation that captured it
 */
export function planDisputes(
  executed: Executed,
  { operationId, processorReference }: Named,
  { settlementLines }: Settling,
): readonly PlannedNotice[] {
  const { card, amount, currency } = executed;
  const reason = card === 'createDisputeProductNotReceived' ? 'product_not_received' : 'fraudulent';
  const disputeReference = `dispute_${operationId}`;
  return (STEPS[card] ?? []).flatMap((kind, step) =>
    plan(
      { kind, data: { disputeReference, amount, currency, reason, contestable: true } },
      {
        executed,
        operationId,
        processorReference,
        settlementLines,
        occurredAt: doneAt(executed, 'dispute', step + 1),
      },
    ),
  );
}

/**
 * How the issuer decides after evidence: it never decides if the evidence says nothing to it. An alert
 * can only end or become a chargeback.
 */
export function planRuling(
  answer: DisputeAnswer,
  executed: Executed,
  { settlementLines }: Settling,
): readonly PlannedNotice[] {
  const { card, amount, currency } = executed;
  const { disputeReference, operationId, previous, stage } = answer;
  if (previous === undefined) return [];
  const { processorReference } = previous;
  const occurredAt = doneAt(executed, 'ruling');
  const when = { executed, operationId, processorReference, settlementLines, occurredAt };
  const opened = { disputeReference, amount, currency, reason: 'fraudulent', contestable: true };
  const close = (outcome: 'won' | 'lost' | 'warning_closed') =>
    plan({ kind: 'dispute.closed', data: { disputeReference, outcome } }, when);
  const escalate = () => plan({ kind: 'dispute.opened', data: opened }, when);
  switch (card) {
    case 'winning_evidence':
      return close(stage === 'alert' ? 'warning_closed' : 'won');
    case 'losing_evidence':
      return stage === 'alert' ? escalate() : close('lost');
    case 'escalate_inquiry_evidence':
      return escalate();
    default:
      return [];
  }
}

/**
 * A notice, and the line of the money that it moves. Both name the payment by its reference: the
 * operation may be the answer to a dispute.
 */
function plan(
  said: Pick<Notice, 'kind' | 'data'>,
  when: Named & Settling & { readonly executed: Executed; readonly occurredAt: Date },
): readonly PlannedNotice[] {
  const { processorReference, occurredAt, operationId, settlementLines } = when;
  const { amount, currency, clock } = when.executed;
  const noticeId = `${said.kind}_${operationId}`;
  const text = JSON.stringify({ noticeId, processorReference, occurredAt, ...said });
  const notice = { noticeId, dueAt: occurredAt, text, ...(clock === undefined ? {} : { clock }) };
  const isWon = 'outcome' in said.data && said.data.outcome === 'won';
  // Settlements are compared in the time that everybody shares, and leave out what is on a clock.
  const isSettled = settlementLines && clock === undefined;
  if (!isSettled || !(isWon || said.kind === 'dispute.opened')) return [notice];
  const line = planLine({
    id: noticeId,
    named: { processorReference },
    currency,
    settledOn: new Date(occurredAt.getTime() + SOON_MS),
    amount: isWon ? amount : -amount,
    kind: isWon ? 'chargeback_reversal' : 'chargeback',
  });
  return [notice, line];
}
