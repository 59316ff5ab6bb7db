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

/** How the issuer decides after evidence: it never decides if the evidence says nothing to it. */
export function planRuling(answer: DisputeAnswer, executed: Executed): readonly PlannedNotice[] {
  const { card, amount, currency, clock } = executed;
  const { disputeReference, operationId, previous } = answer;
  if (previous === undefined) return [];
  const { processorReference } = previous;
  const when = { operationId, processorReference, clock, occurredAt: doneAt(executed, 'ruling') };
  switch (card) {
    case 'winning_evidence':
      return [plan({ kind: 'dispute.closed', data: { disputeReference, outcome: 'won' } }, when)];
    case 'losing_evidence':
      return [plan({ kind: 'dispute.closed', data: { disputeReference, outcome: 'lost' } }, when)];
    case 'escalate_inquiry_evidence': {
      const data = { disputeReference, amount, currency, reason: 'fraudulent', contestable: true };
      return [plan({ kind: 'dispute.opened', data }, when)];
    }
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
