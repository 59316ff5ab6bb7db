import { newId } from '../../kernel/basics/id.ts';
import { describeMoney } from '../../kernel/input/currency.ts';
import { DISPUTE_ROUNDS, type DisputeRound } from '../../ledger/dispute-kinds.ts';
import type { Charge } from '../charges/charge.ts';
import { chargeIdOf } from '../charges/charge-of-operation.ts';
import {
  DISPUTE_REASONS,
  type Dispute,
  type DisputeFacts,
  nextFacts,
} from '../disputes/dispute.ts';
import type { Ruled } from '../disputes/dispute-moves.ts';
import { NO_EVIDENCE } from '../disputes/evidence.ts';
import type { Operation } from '../operations/operation.ts';
import type { NoticeData, NoticeOf } from '../processor/notice.ts';
import { timeOf } from '../test-clocks/object-clock.ts';
import { already, contradiction, early, type NoticeDecision } from './notice-applier.ts';
import type { NoticeRepositories } from './notice-storage.ts';

export type OpenedKind = 'dispute.alert' | 'dispute.opened';
/** An alert has no round. */
export type OpenedData = NoticeData['dispute.opened'];

/** A notice with what it is about, under the lock of the charge. */
export interface Reported {
  readonly data: OpenedData;
  /** Absent if the processor has no rounds, and of an alert. */
  readonly round?: DisputeRound;
  readonly occurredAt: Date;
  readonly operation: Operation;
  readonly charge: Extract<Charge, { status: 'succeeded' }>;
  /** The dispute that has the reference of the notice, or had it as an alert. */
  readonly named: Dispute | undefined;
  /** Every dispute of the charge. */
  readonly all: readonly Dispute[];
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
 * Reads the round of a notice.
 * @returns the decision, if the ledger has no such round: no dispute has as many
 */
export function readRound({
  disputeReference,
  round: told,
}: {
  readonly disputeReference: string;
  readonly round?: number;
}): { readonly round?: DisputeRound } | NoticeDecision {
  if (told === undefined) return {};
  const round = DISPUTE_ROUNDS.find((each) => each === told);
  if (round !== undefined) return { round };
  return contradiction(
    `It is about round ${told} of dispute ${disputeReference}; at most ${DISPUTE_ROUNDS.length} are ` +
      'recorded. Correct its money with the processor.',
  );
}

/**
 * Reads what a notice is about, under the lock of its charge.
 * @returns the decision, if nothing can come of it
 */
export async function readReported(
  { data, occurredAt }: NoticeOf<OpenedKind>,
  operation: Operation,
  rows: NoticeRepositories,
  at: Date,
): Promise<Reported | NoticeDecision> {
  const read = readRound(data);
  if ('decision' in read) return read;
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
  if (data.currency !== charge.currency) {
    return contradiction(
      `It is in ${data.currency}; charge ${charge.id} is in ${charge.currency}.`,
    );
  }
  if (data.amount > charge.amountCaptured) {
    return contradiction(
      `It takes ${describeMoney(data.amount, charge.currency)}; ` +
        `${describeMoney(charge.amountCaptured, charge.currency)} of charge ${charge.id} can be disputed.`,
    );
  }
  const all = charge.dispute === undefined ? [] : await rows.disputes.ofCharge(charge, charge.id);
  return { data, ...read, occurredAt, operation, charge, named, all, at };
}

/** Corrected facts are no repetition. The currency is that of the charge. */
export function repeated(known: Dispute, { amount }: OpenedData): NoticeDecision {
  if (amount === known.amount) return already();
  const { id, currency } = known;
  const was = describeMoney(known.amount, currency);
  return contradiction(
    `It takes ${describeMoney(amount, currency)}; dispute ${id} was opened with ${was}.`,
  );
}

/**
 * The ruling that has won a chargeback, if it came before the chargeback did and waits for it.
 * @returns undefined if there is none, or if the newest one is against the merchant
 */
export async function findWin(
  { data, round: opened = 1, charge }: Reported,
  { notices }: Pick<NoticeRepositories, 'notices'>,
): Promise<Ruled | undefined> {
  const [ruling] = await notices.findWaitingRulings(charge.id, data.disputeReference);
  if (ruling?.data.outcome !== 'won') return undefined;
  const read = readRound(ruling.data);
  if ('decision' in read) return undefined;
  const { round = 1 } = read;
  return round < opened ? undefined : { round, ruledAt: ruling.occurredAt };
}

/** The facts of a dispute that was not known. */
export function newFacts({
  data,
  round = 1,
  charge,
  at,
  dueBy,
}: Pick<Reported, 'data' | 'round' | 'charge' | 'at'> & { readonly dueBy: Date }): DisputeFacts {
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
    round,
    earlier: [],
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
  const { amount, reason, networkReasonCode, processorReference, dueBy, round } = reported;
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
    round,
    alert,
  };
}
