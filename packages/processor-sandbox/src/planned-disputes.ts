import type { OperationId } from '@paymount/core/kernel';
import type { DisputeAnswer, Notice, PlannedNotice } from '@paymount/core/payments';
import { doneAt, type Executed } from './executed.ts';

type DisputeKind = 'dispute.alert' | 'dispute.opened';

/** What the issuer of each card says about a charge, in order; each step takes as long. */
const STEPS: Readonly<Record<string, readonly DisputeKind[]>> = {
  createDispute: ['dispute.opened'],
  createDisputeProductNotReceived: ['dispute.opened'],
  createDisputeInquiry: ['dispute.alert'],
  alert_then_chargeback: ['dispute.alert', 'dispute.opened'],
};

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
 * The disputes of a charge that was captured.
 * @param reference the processor reference of the operation that captured it
 */
export function planDisputes(
  executed: Executed,
  operationId: OperationId,
  reference: string,
): readonly PlannedNotice[] {
  const { card, amount, currency, clock } = executed;
  const reason = card === 'createDisputeProductNotReceived' ? 'product_not_received' : 'fraudulent';
  const disputeReference = `dispute_${operationId}`;
  return (STEPS[card] ?? []).map((kind, step) =>
    plan(
      { kind, data: { disputeReference, amount, currency, reason, contestable: true } },
      {
        ...{ operationId, processorReference: reference, clock },
        occurredAt: doneAt(executed, 'dispute', step + 1),
      },
    ),
  );
}

/**
 * How the issuer decides after evidence: it never decides if the evidence says nothing to it. An alert
 * can only end or become a chargeback.
 */
export function planRuling(answer: DisputeAnswer, executed: Executed): readonly PlannedNotice[] {
  const { card, amount, currency, clock } = executed;
  const { disputeReference, operationId, previous, stage } = answer;
  if (previous === undefined) return [];
  const { processorReference } = previous;
  const when = { operationId, processorReference, clock, occurredAt: doneAt(executed, 'ruling') };
  const opened = { disputeReference, amount, currency, reason: 'fraudulent', contestable: true };
  const close = (outcome: 'won' | 'lost' | 'warning_closed') => [
    plan({ kind: 'dispute.closed', data: { disputeReference, outcome } }, when),
  ];
  const escalate = () => [plan({ kind: 'dispute.opened', data: opened }, when)];
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

/** A notice names the payment by its reference: the operation may be the answer to a dispute. */
function plan(
  said: Pick<Notice, 'kind' | 'data'>,
  when: {
    readonly operationId: OperationId;
    readonly processorReference: string;
    readonly occurredAt: Date;
    readonly clock: Executed['clock'] | undefined;
  },
): PlannedNotice {
  const { processorReference, occurredAt, clock } = when;
  const noticeId = `${said.kind}_${when.operationId}`;
  const text = JSON.stringify({ noticeId, processorReference, occurredAt, ...said });
  return { noticeId, dueAt: occurredAt, text, ...(clock === undefined ? {} : { clock }) };
}
