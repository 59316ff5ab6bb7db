import type { Owner } from '../../kernel/basics/environment.ts';
import type {
  BalanceTransactionId,
  ChargeId,
  DisputeId,
  OperationId,
  TestClockId,
} from '../../kernel/basics/id.ts';
import type { DisputeRound } from '../../ledger/dispute-kinds.ts';
import type { FeeDetail } from '../../ledger/ledger.ts';
import type { Evidence } from './evidence.ts';

/** The reason of a dispute; the official SDK's names. */
export const DISPUTE_REASONS = [
  'bank_cannot_process',
  'check_returned',
  'credit_not_processed',
  'customer_initiated',
  'debit_not_authorized',
  'duplicate',
  'fraudulent',
  'general',
  'incorrect_account_details',
  'insufficient_funds',
  'noncompliant',
  'product_not_received',
  'product_unacceptable',
  'subscription_canceled',
  'unrecognized',
] as const;
export type DisputeReason = (typeof DISPUTE_REASONS)[number];

/** Why a dispute ended. */
export const CLOSED_REASONS = [
  'ruling',
  'accepted',
  'expired',
  'not_contestable',
  'refunded',
] as const;
export type LostReason = Exclude<(typeof CLOSED_REASONS)[number], 'refunded'>;

/** What a dispute was as an alert, before its chargeback. */
export interface DisputeAlert {
  /** The processor's name of the alert; that of the chargeback may be another one. */
  readonly reference: string;
  /** An answer to the alert that was on its way when the chargeback came. */
  readonly operationId?: OperationId;
}

export interface DisputeFacts extends Owner {
  readonly id: DisputeId;
  /** Increments with every change; guarded updates compare it. */
  readonly version: number;
  readonly chargeId: ChargeId;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  readonly reason: DisputeReason;
  readonly networkReasonCode: string | null;
  readonly processorName: string;
  /** The processor's name of the dispute. */
  readonly processorReference: string;
  /** Absent if it is an alert, or never was one. */
  readonly alert?: DisputeAlert;
  /** 1 for an alert and a chargeback; each later round has reversed the ruling before it. */
  readonly round: DisputeRound;
  /**
   * When the issuer last ruled, by the processor's clock; it may be about the round before. Absent if
   * no notice told it, or a person has recorded the last ruling.
   */
  readonly ruledAt?: Date;
  /** What earlier rounds took and gave back, oldest first. */
  readonly earlier: readonly EarlierBooking[];
  /** The answer to an earlier round that was on its way when this round began. */
  readonly earlierAnswerId?: OperationId;
  /** Until when evidence is accepted; of an alert: until when a refund prevents the chargeback. */
  readonly dueBy: Date;
  /** Whether that time passed without an answer of ours. */
  readonly pastDue: boolean;
  readonly evidence: Evidence;
  readonly submissionCount: number;
  /** The test clock of its charge. */
  readonly testClockId?: TestClockId;
  readonly metadata: Readonly<Record<string, string>>;
  readonly created: Date;
}

/** The money that a chargeback took. */
export interface Debit {
  readonly transactionId: BalanceTransactionId;
  /** Minor units. */
  readonly fee: number;
  readonly feeDetails: readonly FeeDetail[];
  readonly at: Date;
}

/** The money that came back with a ruling. */
export interface Credit {
  readonly transactionId: BalanceTransactionId;
  readonly at: Date;
}

/** Money that a round took, and that its ruling gave back before the next round. */
export interface EarlierBooking {
  readonly debit: Debit;
  readonly credit: Credit;
}

/** A dispute is exactly one of these; `dispute-states.ts` has the transitions. */
export type DisputeState =
  | { readonly status: 'warning_needs_response' }
  | { readonly status: 'warning_closed' }
  | { readonly status: 'prevented' }
  | { readonly status: 'needs_response'; readonly debit: Debit }
  | { readonly status: 'under_review'; readonly debit: Debit }
  | { readonly status: 'won'; readonly debit: Debit; readonly credit: Credit }
  | { readonly status: 'lost'; readonly debit: Debit; readonly closedReason: LostReason };

export type Dispute = DisputeFacts & DisputeState;
export type DisputeStatus = DisputeState['status'];

/** Those that have taken money, decided or not. */
export type Chargeback = Extract<Dispute, { debit: Debit }>;
/** Chargebacks that are not decided yet. */
export type OpenDispute = Extract<Dispute, { status: 'needs_response' | 'under_review' }>;
/** Chargebacks whose money is not back. */
export type DebitedDispute = OpenDispute | Extract<Dispute, { status: 'lost' }>;

/** Whether it has taken money, decided or not; else it is an alert. */
export function isChargeback(dispute: Dispute): dispute is Chargeback {
  return 'debit' in dispute;
}

/** Whether it is a chargeback that is not decided yet: no refund is accepted meanwhile. */
export function isOpenChargeback(dispute: Dispute): dispute is OpenDispute {
  return dispute.status === 'needs_response' || dispute.status === 'under_review';
}

/** Whether the money is gone, or may be. */
export function isDebited(dispute: Dispute): boolean {
  return isOpenChargeback(dispute) || dispute.status === 'lost';
}

/** The facts without the fields of the state, with the next version. */
export function nextFacts(dispute: Dispute): DisputeFacts {
  const { accountId, environment, id, version, chargeId, amount, currency, reason } = dispute;
  const { networkReasonCode, processorName, processorReference, dueBy, pastDue } = dispute;
  const { evidence, submissionCount, metadata, created, alert, testClockId } = dispute;
  const { round, ruledAt, earlier, earlierAnswerId } = dispute;
  return {
    accountId,
    environment,
    id,
    version: version + 1,
    chargeId,
    amount,
    currency,
    reason,
    networkReasonCode,
    processorName,
    processorReference,
    dueBy,
    pastDue,
    round,
    earlier,
    evidence,
    submissionCount,
    metadata,
    created,
    ...(alert && { alert }),
    ...(ruledAt && { ruledAt }),
    ...(earlierAnswerId === undefined ? {} : { earlierAnswerId }),
    ...(testClockId === undefined ? {} : { testClockId }),
  };
}

/**
 * The facts of a chargeback that waits for an answer again: in a later round, or in the same one if no
 * issuer has ruled about it.
 * @param answer the one to an earlier round, if it is still on its way
 */
export function nextRound(
  dispute: Chargeback,
  round: DisputeRound,
  answer: { readonly id: OperationId } | undefined,
): DisputeFacts {
  const facts = { ...nextFacts(dispute), round, pastDue: false };
  return answer === undefined ? facts : { ...facts, earlierAnswerId: answer.id };
}

/** Whether an operation answers the alert that a dispute was: it says nothing about the chargeback. */
function isAnswerToAlert({ alert }: DisputeFacts, operationId: OperationId): boolean {
  return alert?.operationId === operationId;
}

/** Whether an operation answers the alert that a dispute was, or an earlier round. */
export function isEarlierAnswer(dispute: DisputeFacts, operationId: OperationId): boolean {
  return isAnswerToAlert(dispute, operationId) || dispute.earlierAnswerId === operationId;
}

/** What an operation answers. */
export function answeredStage(dispute: Dispute, operationId: OperationId): 'alert' | 'chargeback' {
  const isAlert = !('debit' in dispute) || isAnswerToAlert(dispute, operationId);
  return isAlert ? 'alert' : 'chargeback';
}

/** The processor's name of what an operation answers: of the dispute, or of the alert that it was. */
export function answeredReference(dispute: DisputeFacts, operationId: OperationId): string {
  const { alert, processorReference } = dispute;
  return alert && isAnswerToAlert(dispute, operationId) ? alert.reference : processorReference;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** The days that each network gives a merchant to answer a chargeback. */
const ANSWER_DAYS: Readonly<Record<string, number>> = {
  visa: 20,
  discover: 20,
  mastercard: 30,
  amex: 14,
};
const SHORTEST_ANSWER_DAYS = 14;
/** Alerts become chargebacks within about this time. */
const ALERT_DAYS = 3;

/** Until when a chargeback can be answered, if the processor does not say. */
export function answerDueBy(brand: string, openedAt: Date): Date {
  const days = ANSWER_DAYS[brand] ?? SHORTEST_ANSWER_DAYS;
  return new Date(openedAt.getTime() + days * DAY_MS);
}

/** When an alert ends, if the processor does not say. */
export function alertDueBy(openedAt: Date): Date {
  return new Date(openedAt.getTime() + ALERT_DAYS * DAY_MS);
}
