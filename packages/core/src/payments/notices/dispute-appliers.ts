import { describeMoney } from '../../kernel/input/currency.ts';
import { toBlock, toDebitRefusal } from '../charges/bank-returns.ts';
import { type Charge, disputedBy, isFullyRefunded } from '../charges/charge.ts';
import { feeOf, type PaymentRules } from '../charges/payment-rules.ts';
import {
  alertDueBy,
  answerDueBy,
  type Dispute,
  isOpenChargeback,
  isOpenDispute,
} from '../disputes/dispute.ts';
import { disputeChange, type Moved } from '../disputes/dispute-change.ts';
import { alertEnded, chargeback, lost, prevented, won } from '../disputes/dispute-moves.ts';
import { isAllowed } from '../disputes/dispute-states.ts';
import type { Operation } from '../operations/operation.ts';
import type { PaymentMethodEffects } from '../payment-methods/payment-method-storage.ts';
import type { NoticeData, NoticeOf } from '../processor/notice.ts';
import { timeOf } from '../test-clocks/object-clock.ts';
import {
  already,
  contradiction,
  early,
  type NoticeAppliers,
  type NoticeDecision,
} from './notice-applier.ts';
import type { NoticeRepositories } from './notice-storage.ts';
import {
  continued,
  findCharge,
  newFacts,
  type OpenedKind,
  type Reported,
  readReported,
} from './reported-dispute.ts';

type DisputeAppliers = Required<
  Pick<NoticeAppliers['ofOperations'], OpenedKind | 'dispute.closed'>
>;

/** What processors report about disputes: alerts, chargebacks and rulings. */
export function disputeAppliers(rules: Pick<PaymentRules, 'disputeFees'>): DisputeAppliers {
  return {
    'dispute.alert': async (notice, operation, rows, at) => {
      const reported = await readReported(notice, operation, rows, at);
      return 'decision' in reported ? reported : applyAlert(reported, rows);
    },
    'dispute.opened': async (notice, operation, rows, at) => {
      const reported = await readReported(notice, operation, rows, at);
      return 'decision' in reported ? reported : applyChargeback(reported, rules, rows);
    },
    'dispute.closed': applyRuling,
  };
}

async function applyAlert(
  { data, charge, known, others, at }: Reported,
  rows: Pick<NoticeRepositories, 'refunds'>,
): Promise<NoticeDecision> {
  if (known?.status === 'warning_needs_response') return repeated(known, data);
  if (known !== undefined) return already();
  const open = others.find(isOpenDispute);
  if (open !== undefined) return contradiction(`Dispute ${open.id} of the charge is still open.`);
  const facts = newFacts({ data, charge, at, dueBy: alertDueBy(timeOf(charge, at)) });
  const alert: Moved = {
    trigger: 'alert',
    dispute: { ...facts, status: 'warning_needs_response' },
  };
  const named = disputedBy(charge, facts.id, false);
  // A refund that is not confirmed yet may still fail.
  const isPrevented =
    isFullyRefunded(charge) && !(await rows.refunds.hasPending(charge, charge.id));
  const moves = isPrevented ? ([alert, prevented(alert.dispute)] as const) : ([alert] as const);
  const from = { isNew: true, charge: named, changesCharge: true };
  const change = disputeChange([...moves], from, { at, source: 'processor' });
  return { decision: 'applied', change };
}

/** Corrected facts are no repetition. The currency is that of the charge. */
function repeated(known: Dispute, { amount }: Reported['data']): NoticeDecision {
  if (amount === known.amount) return already();
  const { id, currency } = known;
  const was = describeMoney(known.amount, currency);
  return contradiction(
    `It takes ${describeMoney(amount, currency)}; dispute ${id} was opened with ${was}.`,
  );
}

async function applyChargeback(
  { data, charge, known, others, at }: Reported,
  { disputeFees }: Pick<PaymentRules, 'disputeFees'>,
  { operations }: Pick<NoticeRepositories, 'operations'>,
): Promise<NoticeDecision> {
  if (known !== undefined && !isAllowed('chargeback', known.status)) {
    return known.status === 'won'
      ? contradiction(`Dispute ${known.id} was won, and is opened again.`)
      : repeated(known, data);
  }
  const open = others.find(isOpenDispute);
  if (open !== undefined) return contradiction(`Dispute ${open.id} of the charge is still open.`);
  const { method } = charge;
  const now = timeOf(charge, at);
  const dueBy = answerDueBy(method.type === 'card' ? method.card.brand : 'bank', now);
  const reported = newFacts({ data, charge, at, dueBy });
  const answer = known && (await operations.findUnresolved(known, known.id));
  const facts = known === undefined ? reported : continued(known, reported, answer);
  const fee = feeOf('disputeFees', disputeFees, charge, facts.amount);
  const opened = chargeback(facts, fee, now);
  const moves: [Moved, ...Moved[]] = [opened];
  if (!data.contestable && isOpenChargeback(opened.dispute)) {
    moves.push(lost(opened.dispute, 'not_contestable'));
  }
  const named = disputedBy(charge, facts.id, true);
  const from = { isNew: known === undefined, charge: named, changesCharge: true };
  const change = disputeChange(moves, from, { at, source: 'processor' });
  return { decision: 'applied', change: { ...change, ...blockedBy(charge, data) } };
}

/** A bank account whose holder disputes the mandate is not debited again. */
function blockedBy(
  { method, paymentMethodId }: Charge,
  { reason, networkReasonCode: returnCode }: Reported['data'],
): Pick<PaymentMethodEffects, 'blocked'> {
  if (method.type === 'card' || returnCode === undefined) return {};
  const block = toBlock(toDebitRefusal({ code: reason, message: '', returnCode }));
  return block === undefined ? {} : { blocked: { methodId: paymentMethodId, block } };
}

async function applyRuling(
  { data: { disputeReference, outcome } }: NoticeOf<'dispute.closed'>,
  operation: Operation,
  rows: NoticeRepositories,
  at: Date,
): Promise<NoticeDecision> {
  const reported = { environment: operation.environment, processor: operation.processor };
  const dispute = await rows.disputes.findByReference(reported, disputeReference);
  const charge = await findCharge(operation, rows);
  if (dispute === undefined || charge === undefined) {
    return early(`Dispute ${disputeReference} was not reported yet.`);
  }
  if (dispute.chargeId !== charge.id) {
    return contradiction(`Dispute ${disputeReference} is of charge ${dispute.chargeId}.`);
  }
  if (dispute.status === outcome || isEndedAlert(dispute, disputeReference, outcome)) {
    return already();
  }
  const moved = ruled(dispute, outcome, timeOf(charge, at));
  if (moved === undefined) {
    return contradiction(
      `It is ${outcome} at the processor; dispute ${dispute.id} is ${dispute.status}.`,
    );
  }
  const from = { isNew: false, charge, changesCharge: false };
  const change = disputeChange([moved], from, { at, source: 'processor' });
  return { decision: 'applied', change };
}

type Ruling = NoticeData['dispute.closed']['outcome'];

/** An alert ends by a refund too, and by its chargeback if that has another reference. */
function isEndedAlert(dispute: Dispute, reference: string, outcome: Ruling): boolean {
  if (outcome !== 'warning_closed') return false;
  return dispute.status === 'prevented' || reference !== dispute.processorReference;
}

function ruled(dispute: Dispute, outcome: Ruling, at: Date): Moved | undefined {
  if (outcome === 'warning_closed') {
    return isAllowed('alert_ended', dispute.status) ? alertEnded(dispute) : undefined;
  }
  if (isOpenChargeback(dispute)) {
    return outcome === 'won' ? won(dispute, at) : lost(dispute, 'ruling');
  }
  return outcome === 'won' && isLostUnruled(dispute) ? won(dispute, at) : undefined;
}

/** It was lost here, and may have been answered at the processor all the same. */
function isLostUnruled(dispute: Dispute): dispute is Extract<Dispute, { status: 'lost' }> {
  return dispute.status === 'lost' && ['expired', 'accepted'].includes(dispute.closedReason);
}
