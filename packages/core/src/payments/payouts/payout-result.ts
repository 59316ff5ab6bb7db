import { BY_TIME, causeOf } from '../../changes/events/event-cause.ts';
import { buildEvent } from '../../changes/events/event-resource.ts';
import type { Sealer } from '../../kernel/secrets/sealer.ts';
import {
  bookPayoutFailed,
  bookPayoutPaid,
  bookPayoutReturned,
  type PayoutToBook,
} from '../../ledger/payout-recipes.ts';
import { bookProcessorFee } from '../../ledger/recipes.ts';
import { errored } from '../bank-accounts/bank-account.ts';
import { BANK_ACCOUNT_TRANSITIONS } from '../bank-accounts/bank-account-states.ts';
import { heldUntil } from '../bank-accounts/held-destination.ts';
import { openBankAccount } from '../bank-accounts/open-bank-account.ts';
import type { Operation } from '../operations/operation.ts';
import { concludedOn, quarantined } from '../operations/operation-states.ts';
import type { Subject } from '../operations/operation-subject.ts';
import { type CallResult, contradicts } from '../operations/outcome.ts';
import { clockField, timeOf } from '../test-clocks/object-clock.ts';
import { type Payout, toNextPayout } from './payout.ts';
import type { PayoutContext } from './payout-context.ts';
import { payoutFailedMail } from './payout-mail.ts';
import { toPayoutResource } from './payout-resource.ts';
import { canTake, PAYOUT_TRANSITIONS, type PayoutTrigger } from './payout-states.ts';
import type { PayoutChange } from './payout-storage.ts';
import { sendPayout } from './send-payout.ts';
import { withholdPayout } from './withhold-payout.ts';

/** Why a payout failed. */
interface PayoutFailure {
  readonly code: string;
  readonly message: string;
  /** Whether the bank account is at fault, so that no further payout goes there. */
  readonly isDestinations: boolean;
}

/**
 * Prepares a payout for its operation.
 * @param sealer opens the number of the bank account, only to send it
 */
export function preparePayout(
  context: PayoutContext,
  sealer: Pick<Sealer, 'open'>,
): Subject<PayoutChange> {
  const { payout, destination } = context;
  const openDestination = () => openBankAccount(destination, sealer);
  return {
    isOfBankAccount: true,
    isReturned: payout.status === 'failed',
    send: (processor, sent) => sendPayout(processor, sent, { payout, openDestination }),
    withhold: (operation, at) => withholdPayout(context, operation, at),
    heldUntil: (at) => heldUntil(destination, context.account, at),
    conclude: (operation, result, at) => concludePayout(context, operation, result, at),
  };
}

/** Phase 3 of a payout: handed over, still on its way, rejected, or still open. */
function concludePayout(
  context: PayoutContext,
  operation: Operation,
  result: CallResult,
  at: Date,
): PayoutChange {
  const { accountId, environment } = context.payout;
  const isContradiction = contradicts(operation, result);
  const row = isContradiction
    ? quarantined(operation, result, at)
    : concludedOn(context.payout, operation, result, at);
  const moved = isContradiction ? undefined : decideTransition(context, operation, result, at);
  return {
    accountId,
    environment,
    at,
    ...clockField(context.payout),
    ...moved,
    writes: [...(moved?.writes ?? []), { kind: 'operation', mode: 'update', row }],
  };
}

/** What a transition writes, without its operation. */
type PayoutTransitionFacts = Pick<
  PayoutChange,
  'writes' | 'events' | 'postings' | 'balanceTransactions' | 'mails' | 'settled'
>;

function decideTransition(
  context: PayoutContext,
  operation: Operation,
  result: CallResult,
  at: Date,
): PayoutTransitionFacts | undefined {
  const { status } = context.payout;
  switch (result.outcome) {
    case 'unknown':
      return undefined;
    case 'pending':
      return canTake('accepted', status) ? accept(context, new Date(result.expectedBy)) : undefined;
    case 'approved':
      return canTake('handed_over', status)
        ? handOver(context, operation, result, timeOf(context.payout, at))
        : undefined;
    case 'declined':
    case 'rejected':
    case 'action_required':
    case 'not_sent':
      return canTake('rejected', status)
        ? fail(context, { trigger: 'rejected', failure: toFailure(result), operation }, at)
        : undefined;
  }
}

function toFailure(
  result: Extract<
    CallResult,
    { outcome: 'declined' | 'rejected' | 'action_required' | 'not_sent' }
  >,
): PayoutFailure {
  switch (result.outcome) {
    case 'declined':
      return { code: result.code, message: result.message, isDestinations: true };
    // The processor refused the request itself, for example because the operator's funds do not suffice.
    case 'rejected':
      return { code: result.code, message: result.message, isDestinations: false };
    case 'action_required':
    case 'not_sent':
      return {
        code: 'processing_error',
        message: 'The payout was not executed.',
        isDestinations: false,
      };
  }
}

function accept({ payout }: PayoutContext, expectedBy: Date): PayoutTransitionFacts {
  const arrivalDate =
    expectedBy.getTime() > payout.arrivalDate.getTime() ? expectedBy : payout.arrivalDate;
  const row: Payout = { ...toNextPayout(payout), arrivalDate, status: 'in_transit' };
  return { writes: [{ kind: 'payout', mode: 'update', row }] };
}

function handOver(
  { payout }: PayoutContext,
  operation: Operation,
  approval: Extract<CallResult, { outcome: 'approved' }>,
  at: Date,
): PayoutTransitionFacts {
  const { availableOn } = approval;
  const arrivalDate = availableOn === undefined ? payout.arrivalDate : new Date(availableOn);
  const row: Payout = { ...toNextPayout(payout), arrivalDate, status: 'paid' };
  const fee = bookProcessorFee(approval, payout.id, at).postings ?? [];
  return {
    writes: [{ kind: 'payout', mode: 'update', row }],
    postings: [bookPayoutPaid(toBook(payout, at)), ...fee],
    events: eventsOf(row, 'handed_over', at, operation),
    settled: { kind: 'payout', payout: row },
  };
}

/**
 * A payout that the bank returned after it was paid: its amount is on the balance again.
 * @returns undefined unless the payout is paid
 */
export function returnPayout(
  context: PayoutContext,
  operation: Operation,
  { code, message }: { readonly code: string; readonly message: string },
  at: Date,
): PayoutChange | undefined {
  const { accountId, environment, status } = context.payout;
  if (!canTake('returned', status)) return undefined;
  const failure = { code, message, isDestinations: true };
  const returned = fail(context, { trigger: 'returned', failure, operation }, at);
  return { accountId, environment, at, ...clockField(context.payout), ...returned };
}

/**
 * The payout after it was rejected, or after the bank returned it: its amount is on the balance
 * again, and its owner is e-mailed.
 * @param at in the time that everybody shares, in which the e-mail is sent
 */
function fail(
  context: PayoutContext,
  {
    trigger,
    failure,
    operation,
  }: {
    readonly trigger: 'rejected' | 'returned';
    readonly failure: PayoutFailure;
    readonly operation: Operation;
  },
  at: Date,
): PayoutTransitionFacts {
  const { payout, destination } = context;
  const now = timeOf(payout, at);
  const facts = toBook(payout, now);
  const booking =
    trigger === 'returned' ? bookPayoutReturned(facts) : bookPayoutFailed(facts, 'payout_failure');
  const row: Extract<Payout, { status: 'failed' }> = {
    ...toNextPayout(payout),
    status: 'failed',
    failureCode: failure.code,
    failureMessage: failure.message,
    failureBalanceTransactionId: booking.transaction.id,
  };
  const live = destination.status === 'deleted' ? undefined : destination;
  const refused =
    failure.isDestinations &&
    live &&
    BANK_ACCOUNT_TRANSITIONS.payout_failed.from.includes(live.status)
      ? [{ kind: 'bank_account', mode: 'update', row: errored(live, failure) } as const]
      : [];
  const isStopped = failure.isDestinations;
  return {
    writes: [{ kind: 'payout', mode: 'update', row }, ...refused],
    postings: [booking.posting],
    balanceTransactions: [booking.transaction],
    events: eventsOf(row, trigger, now, operation),
    mails: [payoutFailedMail(row, live, isStopped, at)],
    settled: { kind: 'payout', payout: row },
  };
}

function toBook({ id, accountId, environment, amount, currency }: Payout, at: Date): PayoutToBook {
  return { owner: { accountId, environment }, payoutId: id, amount, currency, at };
}

function eventsOf(row: Payout, trigger: PayoutTrigger, at: Date, operation: Operation) {
  const { event: type } = PAYOUT_TRANSITIONS[trigger];
  if (type === null) return [];
  const { accountId, environment } = row;
  return [
    buildEvent({
      owner: { accountId, environment },
      type,
      object: toPayoutResource(row),
      objectVersion: row.version,
      at,
      ...(row.period === null ? causeOf(operation) : BY_TIME),
      testClockId: row.clock?.id,
    }),
  ];
}
