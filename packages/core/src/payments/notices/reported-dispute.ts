import { newId } from '../../kernel/basics/id.ts';
import { describeMoney } from '../../kernel/input/currency.ts';
import type { Charge } from '../charges/charge.ts';
import { chargeIdOf } from '../charges/charge-of-operation.ts';
import {
  DISPUTE_REASONS,
  type Dispute,
  type DisputeFacts,
  nextFacts,
} from '../disputes/dispute.ts';
import { sumDebited } from '../disputes/dispute-rules.ts';
import { NO_EVIDENCE } from '../disputes/evidence.ts';
import type { Operation } from '../operations/operation.ts';
import type { NoticeData, NoticeOf } from '../processor/notice.ts';
import { timeOf } from '../test-clocks/object-clock.ts';
import { contradiction, early, type NoticeDecision } from './notice-applier.ts';
import type { NoticeRepositories } from './notice-storage.ts';

export type OpenedKind = 'dispute.alert' | 'dispute.opened';
type OpenedData = NoticeData[OpenedKind];

/** A notice with what it is about, under the lock of the charge. */
export interface Reported {
  readonly data: OpenedData;
  readonly charge: Charge;
  /** The same dispute, as far as it is known: by its reference, or the open alert of the charge. */
  readonly known: Dispute | undefined;
  /** The other disputes of the charge. */
  readonly others: readonly Dispute[];
  readonly at: Date;
}

/** The charge of an operation; a payout has none. */
export async function findCharge(
  operation: Operation,
  { charges }: NoticeRepositories,
): Promise<Charge | undefined> {
  const chargeId = chargeIdOf(operation);
  return chargeId && charges.find(operation, chargeId);
}

/**
 * Reads what a notice is about, under the lock of its charge.
 * @returns the decision, if nothing can come of it
 */
export async function readReported(
  { kind, data }: NoticeOf<OpenedKind>,
  operation: Operation,
  rows: NoticeRepositories,
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
      `It takes ${describeMoney(data.amount, charge.currency)}; ` +
        `${describeMoney(rest, charge.currency)} of charge ${charge.id} can be disputed.`,
    );
  }
  return { data, charge, known, others, at };
}

/** The facts of a dispute that was not known. */
export function newFacts({
  data,
  charge,
  at,
  dueBy,
}: Pick<Reported, 'data' | 'charge' | 'at'> & { readonly dueBy: Date }): DisputeFacts {
  const { accountId, environment } = charge;
  return {
    accountId,
    environment,
    id: newId('dp'),
    version: 1,
    chargeId: charge.id,
    amount: data.amount,
    currency: data.currency,
    reason: DISPUTE_REASONS.find((reason) => reason === data.reason) ?? 'general',
    networkReasonCode: data.networkReasonCode ?? null,
    processorName: charge.processorName,
    processorReference: data.disputeReference,
    dueBy: data.dueBy === undefined ? dueBy : new Date(data.dueBy),
    pastDue: false,
    evidence: NO_EVIDENCE,
    submissionCount: 0,
    ...(charge.clock && { testClockId: charge.clock.id }),
    metadata: {},
    created: timeOf(charge, at),
  };
}

/**
 * An alert that became a chargeback stays the same dispute; its reference may be a new one.
 * @param answer the answer to the alert, if it is still on its way
 */
export function continued(
  known: Dispute,
  reported: DisputeFacts,
  answer: Operation | undefined,
): DisputeFacts {
  const { amount, reason, networkReasonCode, processorReference, dueBy } = reported;
  const alert = {
    reference: known.processorReference,
    ...(answer === undefined ? {} : { operationId: answer.id }),
  };
  return {
    ...nextFacts(known),
    amount,
    reason,
    networkReasonCode,
    processorReference,
    dueBy,
    alert,
  };
}
