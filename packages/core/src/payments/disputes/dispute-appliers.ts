import { newId } from '../../kernel/basics/id.ts';
import { type Charge, disputedBy } from '../charges/charge.ts';
import type { SettlementRules } from '../charges/charge-settlement.ts';
import type { NoticeData, NoticeOf } from '../notices/notice.ts';
import type { NoticeAppliers, NoticeDecision } from '../notices/notice-applier.ts';
import { timeOf } from '../object-clock.ts';
import type { Operation } from '../operations/operation.ts';
import type { PaymentRepositories } from '../payment-storage.ts';
import {
  alertDueBy,
  answerDueBy,
  DISPUTE_REASONS,
  type Dispute,
  type DisputeFacts,
  isOpenChargeback,
  isOpenDispute,
  nextFacts,
} from './dispute.ts';
import { disputeChange, type Moved } from './dispute-change.ts';
import { alertEnded, chargeback, lost, prevented, won } from './dispute-moves.ts';
import { sumDebited } from './dispute-rules.ts';
import { isAllowed } from './dispute-states.ts';
import { NO_EVIDENCE } from './evidence.ts';

type OpenedKind = 'dispute.alert' | 'dispute.opened';
type OpenedData = NoticeData[OpenedKind];

/** A notice with what it is about, under the lock of the charge. */
interface Reported {
  readonly data: OpenedData;
  readonly charge: Charge;
  /** The same dispute, as far as it is known: by its reference, or the open alert of the charge. */
  readonly known: Dispute | undefined;
  /** The other disputes of the charge. */
  readonly others: readonly Dispute[];
  readonly at: Date;
}

/** What processors report about disputes: alerts, chargebacks and rulings. */
export function disputeAppliers(
  rules: Pick<SettlementRules, 'disputeFees'>,
): Pick<NoticeAppliers['ofOperations'], OpenedKind | 'dispute.closed'> {
  return {
    'dispute.alert': async (notice, operation, rows, at) => {
      const reported = await readReported(notice, operation, rows, at);
      return 'decision' in reported ? reported : applyAlert(reported);
    },
    'dispute.opened': async (notice, operation, rows, at) => {
      const reported = await readReported(notice, operation, rows, at);
      return 'decision' in reported ? reported : applyChargeback(reported, rules);
    },
    'dispute.closed': applyRuling,
  };
}

/** The charge of an operation; a payout has none. */
async function findCharge(
  operation: Operation,
  { charges }: PaymentRepositories,
): Promise<Charge | undefined> {
  return operation.chargeId && charges.find(operation, operation.chargeId);
}

async function readReported(
  { kind, data }: NoticeOf<OpenedKind>,
  operation: Operation,
  rows: PaymentRepositories,
  at: Date,
): Promise<Reported | NoticeDecision> {
  const charge = await findCharge(operation, rows);
  if (charge?.status === 'pending' || charge?.status === 'authorized') {
    return early(`Charge ${charge.id} is ${charge.status}; it must be captured first.`);
  }
  if (charge?.status !== 'succeeded') {
    return contradiction(`${operation.subjectId} took no money that could be disputed.`);
  }
  const from = { environment: operation.environment, processor: operation.processor };
  const named = await rows.disputes.findByReference(from, data.disputeReference);
  if (named !== undefined && named.chargeId !== charge.id) {
    return contradiction(`Dispute ${data.disputeReference} is of charge ${named.chargeId}.`);
  }
  const all = charge.dispute === undefined ? [] : await rows.disputes.ofCharge(charge, charge.id);
  const alert = all.find(({ status }) => status === 'warning_needs_response');
  const known = named ?? (kind === 'dispute.opened' ? alert : undefined);
  const others = all.filter(({ id }) => id !== known?.id);
  if (data.currency !== charge.currency) {
    return contradiction(
      `It is in ${data.currency}; charge ${charge.id} is in ${charge.currency}.`,
    );
  }
  const rest = charge.amountCaptured - sumDebited(others);
  if (data.amount > rest) {
    return contradiction(
      `It takes ${data.amount}; ${rest} of charge ${charge.id} can be disputed.`,
    );
  }
  return { data, charge, known, others, at };
}

function applyAlert({ data, charge, known, others, at }: Reported): NoticeDecision {
  if (known !== undefined) return { decision: 'already' };
  const open = others.find(isOpenDispute);
  if (open !== undefined) return contradiction(`Dispute ${open.id} of the charge is still open.`);
  const facts = newFacts({ data, charge, at, dueBy: alertDueBy(timeOf(charge, at)) });
  const alert: Moved = {
    trigger: 'alert',
    dispute: { ...facts, status: 'warning_needs_response' },
  };
  const named = disputedBy(charge, facts.id, false);
  const isRefunded =
    charge.status === 'succeeded' && charge.amountRefunded === charge.amountCaptured;
  const moves = isRefunded ? ([alert, prevented(alert.dispute)] as const) : ([alert] as const);
  const from = { isNew: true, charge: named, changesCharge: true };
  const change = disputeChange([...moves], from, { at, source: 'processor' });
  return { decision: 'applied', change };
}

function applyChargeback(
  { data, charge, known, others, at }: Reported,
  { disputeFees }: Pick<SettlementRules, 'disputeFees'>,
): NoticeDecision {
  if (known !== undefined && !isAllowed('chargeback', known.status)) {
    return known.status === 'prevented'
      ? contradiction(`Dispute ${known.id} was prevented by a refund.`)
      : { decision: 'already' };
  }
  const open = others.find(isOpenDispute);
  if (open !== undefined) return contradiction(`Dispute ${open.id} of the charge is still open.`);
  const now = timeOf(charge, at);
  const dueBy = answerDueBy(charge.card.brand, now);
  const reported = newFacts({ data, charge, at, dueBy });
  const facts = known === undefined ? reported : continued(known, reported);
  const opened = chargeback(facts, disputeFees(charge, facts.amount), now);
  const moves: [Moved, ...Moved[]] = [opened];
  if (!data.contestable && isOpenChargeback(opened.dispute)) {
    moves.push(lost(opened.dispute, 'not_contestable'));
  }
  const named = disputedBy(charge, facts.id, true);
  const from = { isNew: known === undefined, charge: named, changesCharge: true };
  return {
    decision: 'applied',
    change: disputeChange(moves, from, { at, source: 'processor' }),
  };
}

async function applyRuling(
  { data: { disputeReference, outcome } }: NoticeOf<'dispute.closed'>,
  operation: Operation,
  rows: PaymentRepositories,
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
  const isPrevented = outcome === 'warning_closed' && dispute.status === 'prevented';
  if (dispute.status === outcome || isPrevented) return { decision: 'already' };
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

function ruled(
  dispute: Dispute,
  outcome: NoticeData['dispute.closed']['outcome'],
  at: Date,
): Moved | undefined {
  if (outcome === 'warning_closed') {
    return isAllowed('alert_ended', dispute.status) ? alertEnded(dispute) : undefined;
  }
  if (!isOpenChargeback(dispute)) return undefined;
  return outcome === 'won' ? won(dispute, at) : lost(dispute, 'ruling');
}

function newFacts({
  data,
  charge,
  at,
  dueBy,
}: Pick<Reported, 'data' | 'charge' | 'at'> & { readonly dueBy: Date }): DisputeFacts {
  const { accountId, environment } = charge;
  return {
    ...{ accountId, environment, id: newId('dp'), version: 1, chargeId: charge.id },
    ...{ amount: data.amount, currency: data.currency },
    reason: DISPUTE_REASONS.find((reason) => reason === data.reason) ?? 'general',
    networkReasonCode: data.networkReasonCode ?? null,
    processorName: charge.processorName,
    processorReference: data.disputeReference,
    dueBy: data.dueBy === undefined ? dueBy : new Date(data.dueBy),
    evidence: NO_EVIDENCE,
    submissionCount: 0,
    ...(charge.clock && { testClockId: charge.clock.id }),
    metadata: {},
    created: timeOf(charge, at),
  };
}

/** An alert that became a chargeback stays the same dispute; its reference may be a new one. */
function continued(known: Dispute, reported: DisputeFacts): DisputeFacts {
  const { amount, reason, networkReasonCode, processorReference, dueBy } = reported;
  return { ...nextFacts(known), amount, reason, networkReasonCode, processorReference, dueBy };
}

function early(reason: string): NoticeDecision {
  return { decision: 'early', reason };
}

function contradiction(reason: string): NoticeDecision {
  return { decision: 'contradiction', reason };
}
