import { buildEvent } from '../../changes/events/event-resource.ts';
import { toStoredResponse } from '../../changes/idempotency/stored-response.ts';
import type { BalanceTransaction } from '../../ledger/ledger.ts';
import { bookProcessorFee, bookRefundFailure } from '../../ledger/recipes.ts';
import { type Charge, canceled, isFullyRefunded, refundedBy } from '../charges/charge.ts';
import { toProcessorError } from '../charges/charge-error.ts';
import { toChargeResource } from '../charges/charge-resource.ts';
import { accountOf } from '../charges/charge-result.ts';
import { sendPayment } from '../charges/send-payment.ts';
import type { Dispute } from '../disputes/dispute.ts';
import { disputeMail } from '../disputes/dispute-mail.ts';
import { prevented } from '../disputes/dispute-moves.ts';
import { causeOfResult } from '../operations/cause-of-result.ts';
import type { Operation } from '../operations/operation.ts';
import { concludedOn, quarantined } from '../operations/operation-states.ts';
import { type Subject, toTestClock } from '../operations/operation-subject.ts';
import { type CallResult, contradicts } from '../operations/outcome.ts';
import type { DebitedAccountPorts } from '../payment-methods/open-debited-account.ts';
import { clockField, timeOf } from '../test-clocks/object-clock.ts';
import type { Refund } from './refund.ts';
import { refundFailedMail } from './refund-mail.ts';
import { toRefundResource } from './refund-resource.ts';
import { REFUND_TRANSITIONS } from './refund-states.ts';
import type { RefundChange } from './refund-storage.ts';

/** A refund with all objects that its result changes, read together. */
export interface RefundContext {
  readonly refund: Refund;
  readonly charge: Charge;
  /** The refund's debits; absent if it cancelled an authorization. */
  readonly transaction?: BalanceTransaction;
  /** An open alert about the charge, which this refund may be the last one to answer. */
  readonly alert?: Dispute;
}

/** The current refund and charge. */
export type Refunded = Pick<RefundContext, 'refund' | 'charge'>;

/**
 * Prepares a refund for its operation.
 * @param accounts what opens the number of the bank account that was debited
 */
export function prepareRefund(
  context: RefundContext,
  accounts: DebitedAccountPorts,
): Subject<RefundChange> {
  const { processorReference, processorToken, metadata } = context.charge;
  const request = {
    paymentMethod: { processorToken },
    ...accountOf(context.charge, accounts),
    metadata,
    ...(processorReference === undefined ? {} : { previous: { processorReference } }),
    ...toTestClock(context.charge),
  };
  return {
    isOfBankAccount: request.openAccount !== undefined,
    isReturned: context.refund.status === 'failed',
    send: (processor, sent) => sendPayment(processor, sent, request),
    conclude: (operation, result, at) => concludeRefund(context, operation, result, at),
  };
}

/** Phase 3 of a refund: confirmed, rejected (the whole amount is returned), or still open. */
function concludeRefund(
  context: RefundContext,
  operation: Operation,
  result: CallResult,
  at: Date,
): RefundChange {
  const { refund } = context;
  const { accountId, environment } = refund;
  const owner = { accountId, environment, ...clockField(context.charge) };
  const now = timeOf(context.charge, at);
  if (contradicts(operation, result)) {
    const row = quarantined(operation, result, at);
    return {
      ...owner,
      at,
      writes: [{ kind: 'operation', mode: 'update', row }],
      ...idempotentResponse(operation, refund),
    };
  }
  const row = {
    kind: 'operation',
    mode: 'update',
    row: concludedOn(context.charge, operation, result, at),
  } as const;
  if (refund.status !== 'pending' || result.outcome === 'unknown' || result.outcome === 'pending') {
    return { ...owner, at, writes: [row], ...idempotentResponse(operation, refund) };
  }
  const moved =
    result.outcome === 'approved'
      ? confirm(context, operation, result, now)
      : reject(context, result, at);
  const dispute = preventedBy(context, moved);
  return {
    ...owner,
    at,
    ...moved.booked,
    // In the fixed order of row locks.
    writes: [
      { kind: 'charge', mode: 'update', row: moved.charge },
      { kind: 'refund', mode: 'update', row: moved.refund },
      ...(dispute ? [{ kind: 'dispute', mode: 'update', row: dispute } as const] : []),
      row,
    ],
    ...(dispute && {
      mails: [disputeMail(dispute, 'refunded', at)],
      alsoSettled: { kind: 'dispute', dispute, charge: moved.charge },
    }),
    ...idempotentResponse(operation, moved.refund),
    settled: { kind: 'refund', refund: moved.refund, charge: moved.charge },
  };
}

/** A full refund that succeeded while an alert was open avoids the chargeback. */
function preventedBy(
  { alert }: RefundContext,
  { refund, charge }: Transition,
): Dispute | undefined {
  const isRefunded = refund.status === 'succeeded' && isFullyRefunded(charge);
  return alert !== undefined && isRefunded ? prevented(alert).dispute : undefined;
}

interface Transition {
  readonly refund: Refund;
  readonly charge: Charge;
  readonly booked: Pick<RefundChange, 'events' | 'postings' | 'balanceTransactions' | 'mails'>;
}

function confirm(
  context: RefundContext,
  operation: Operation,
  approval: Extract<CallResult, { outcome: 'approved' }>,
  at: Date,
): Transition {
  const { accountId, environment } = context.refund;
  const refund: Refund = {
    ...context.refund,
    version: context.refund.version + 1,
    status: 'succeeded',
  };
  const released = operation.kind === 'cancel';
  const charge = released ? canceled(context.charge, at) : refundedBy(context.charge, 0);
  const type = released ? null : REFUND_TRANSITIONS.confirmed.event;
  const kept = bookProcessorFee(approval, refund.id, at);
  if (type === null) return { refund, charge, booked: kept };
  const event = buildEvent({
    owner: { accountId, environment },
    type,
    object: toChargeResource(charge),
    objectVersion: charge.version,
    at,
    ...causeOfResult(refund, operation),
    testClockId: charge.clock?.id,
  });
  return { refund, charge, booked: { ...kept, events: [event] } };
}

function reject(context: RefundContext, result: CallResult, at: Date): Transition {
  const reason = toProcessorError(result)?.code ?? 'processing_error';
  const moved = reverseRefund(context, at, (base, transactionId) => ({
    ...base,
    status: 'failed',
    failureReason: reason,
    failureBalanceTransactionId: transactionId,
  }));
  // Of an authorization that was not canceled, no money had moved; what was not sent, the caller sees.
  const isNews = context.transaction !== undefined && result.outcome !== 'not_sent';
  const mails = isNews ? [refundFailedMail(moved.refund, at)] : [];
  return { ...moved, booked: { ...moved.booked, mails } };
}

/**
 * A refund that the processor confirmed, and then returned: the amount is back on the charge and on
 * the balance. Its operation keeps the approval, which the processor did give.
 * @returns undefined if the refund cannot be returned: it has not succeeded, or it moved no money
 */
export function returnRefund(
  context: RefundContext,
  refusal: Extract<CallResult, { outcome: 'declined' }>,
  at: Date,
): RefundChange | undefined {
  const { refund, transaction } = context;
  if (refund.status !== REFUND_TRANSITIONS.returned.from || transaction === undefined) {
    return undefined;
  }
  const { accountId, environment } = refund;
  const moved = reject(context, refusal, at);
  return {
    accountId,
    environment,
    at,
    ...clockField(context.charge),
    ...moved.booked,
    writes: [
      { kind: 'charge', mode: 'update', row: moved.charge },
      { kind: 'refund', mode: 'update', row: moved.refund },
    ],
    settled: { kind: 'refund', refund: moved.refund, charge: moved.charge },
  };
}

/**
 * Reverses a refund: the amount returns to the charge and to its ledger account.
 * @param state makes the refund's final state from its facts
 */
export function reverseRefund(
  context: RefundContext,
  at: Date,
  state: (base: Refund, transactionId: Refund['balanceTransactionId']) => Refund,
): Transition {
  const { refund, charge, transaction } = context;
  const { accountId, environment } = refund;
  const base = { ...refund, version: refund.version + 1 };
  if (transaction === undefined) {
    return { refund: state(base, null), charge: refundedBy(charge, 0), booked: {} };
  }
  const booking = bookRefundFailure({
    owner: { accountId, environment },
    refundId: refund.id,
    amount: refund.amount,
    currency: refund.currency,
    pool: transaction.status,
    availableOn: transaction.availableOn,
    at: timeOf(charge, at),
  });
  return {
    refund: state(base, booking.transaction.id),
    charge: refundedBy(charge, -refund.amount),
    booked: { postings: [booking.posting], balanceTransactions: [booking.transaction] },
  };
}

function idempotentResponse(operation: Operation, refund: Refund): Pick<RefundChange, 'response'> {
  const key = operation.idempotencyKey;
  return key === undefined
    ? {}
    : { response: { key, response: toStoredResponse(toRefundResource(refund)) } };
}
