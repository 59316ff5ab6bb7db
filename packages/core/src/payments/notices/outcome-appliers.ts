import { describeMoney } from '../../kernel/input/currency.ts';
import { isReturnCode } from '../charges/bank-returns.ts';
import type { Charge } from '../charges/charge.ts';
import { chargeIdOf } from '../charges/charge-of-operation.ts';
import type { Operation } from '../operations/operation.ts';
import { isUnresolved } from '../operations/operation-states.ts';
import type { CallResult } from '../operations/outcome.ts';
import type { NoticeData, NoticeOf } from '../processor/notice.ts';
import { loadRefund } from '../refunds/refund-context.ts';
import { returnRefund } from '../refunds/refund-result.ts';
import { returnAfterClearing } from './late-return.ts';
import {
  already,
  contradiction,
  early,
  type NoticeApplier,
  type NoticeAppliers,
  type NoticeDecision,
  type NoticedOperation,
  recordNoticed,
} from './notice-applier.ts';
import type { NoticeRepositories } from './notice-storage.ts';

/** The code decides whether the bank account may be debited again. */
const UNKNOWN_RETURN = 'Its returnCode is no code of a bank, such as R10.';

type SettledKind = 'charge.settled' | 'refund.settled';
type FailedKind = 'charge.failed' | 'refund.failed';
type FailedNotice = NoticeOf<'charge.failed'> | NoticeOf<'refund.failed'>;

/**
 * The appliers of outcomes of charges and refunds. A notice gives an open operation its result, as an
 * answer to its call does: whichever of answer, look-up and notice comes first decides, and the others
 * find it decided.
 */
export function outcomeAppliers(
  onChargeback: NoticeApplier<'dispute.opened'>,
): Pick<NoticeAppliers['ofOperations'], SettledKind | FailedKind> {
  const onSettled = async (
    notice: NoticeOf<SettledKind>,
    facts: NoticedOperation,
  ): Promise<NoticeDecision> => decideSettled(notice, await resultFacts(facts));
  const onFailed = async (notice: FailedNotice, facts: NoticedOperation): Promise<NoticeDecision> =>
    decideFailed(onChargeback, notice, await resultFacts(facts));
  return {
    'charge.settled': (notice, operation, rows, at) => onSettled(notice, { operation, rows, at }),
    'refund.settled': (notice, operation, rows, at) => onSettled(notice, { operation, rows, at }),
    'charge.failed': (notice, operation, rows, at) => onFailed(notice, { operation, rows, at }),
    'refund.failed': (notice, operation, rows, at) => onFailed(notice, { operation, rows, at }),
  };
}

/** The operation that gets the result. */
interface ResultFacts extends NoticedOperation {
  /** Whether it is the operation that the notice names: then the notice has its reference. */
  readonly isOwn: boolean;
}

/**
 * A processor may name an authorization when it reports the capture of it: then the capture is
 * meant. What the processor calls the capture, its answer or a look-up must say: two references are
 * two payments.
 */
async function resultFacts(facts: NoticedOperation): Promise<ResultFacts> {
  const { operation, rows } = facts;
  if (operation.kind !== 'authorize' || isUnresolved(operation)) return { ...facts, isOwn: true };
  const chargeId = chargeIdOf(operation);
  const open = chargeId && (await rows.operations.findUnresolvedOnRoot(operation, chargeId));
  return open && open.kind === 'capture'
    ? { ...facts, operation: open, isOwn: false }
    : { ...facts, isOwn: true };
}

async function decideSettled(
  { data, processorReference }: NoticeOf<SettledKind>,
  facts: ResultFacts,
): Promise<NoticeDecision> {
  const { operation, rows, isOwn } = facts;
  const { amount, currency } = await expectedOf(facts);
  if (data.amount !== amount || data.currency !== currency) {
    return contradiction(
      `It reports ${describeMoney(data.amount, data.currency)}; ${nameOf(operation)} is for ${describeMoney(amount, currency)}.`,
    );
  }
  switch (operation.state) {
    case 'created':
      return early(`${nameOf(operation)} is not sent yet.`);
    case 'sent':
    case 'unknown': {
      const reference = (isOwn ? processorReference : undefined) ?? operation.processorReference;
      if (reference === undefined) {
        return early(`The look-up of ${nameOf(operation)} must find its reference first.`);
      }
      const charge = await chargeOf(operation, rows);
      if (operation.kind === 'authorize' && charge?.captureMethod === 'manual') {
        return early(`${nameOf(operation)} only authorizes, and has no answer yet.`);
      }
      return recordNoticed(facts, {
        outcome: 'approved',
        processorReference: reference,
        amount,
        currency,
        ...feeOf(data),
      });
    }
    case 'done': {
      if (operation.outcome?.outcome !== 'approved') {
        return contradiction(`${nameOf(operation)} was declined.`);
      }
      const why = await whyNothingMoved(facts);
      return why === undefined ? already() : contradiction(why);
    }
    case 'failed':
      return contradiction(`${nameOf(operation)} counts as not executed.`);
    case 'quarantined':
      return contradiction(`${nameOf(operation)} waits for a person too; settle it first.`);
  }
}

async function decideFailed(
  onChargeback: NoticeApplier<'dispute.opened'>,
  notice: FailedNotice,
  facts: ResultFacts,
): Promise<NoticeDecision> {
  const { operation, rows, at, isOwn } = facts;
  const refusal = toRefusal(notice.data, isOwn ? notice.processorReference : undefined);
  const isKnown = !('returnCode' in notice.data) || isReturnCode(notice.data.returnCode ?? 'R00');
  switch (operation.state) {
    case 'created':
      return early(`${nameOf(operation)} is not sent yet.`);
    case 'sent':
    case 'unknown':
      return isKnown ? recordNoticed(facts, refusal) : contradiction(UNKNOWN_RETURN);
    case 'done':
      if (operation.outcome?.outcome !== 'approved') return already();
      if (operation.kind === 'refund') return decideReturned(facts, refusal);
      if (notice.kind === 'charge.failed') {
        const charge = await chargeOf(operation, rows);
        if (charge?.status === 'succeeded' && charge.method.type === 'us_bank_account') {
          if (!isKnown) return contradiction(UNKNOWN_RETURN);
          return returnAfterClearing(notice, charge, (opened) =>
            onChargeback(opened, operation, rows, at),
          );
        }
      }
      return contradiction(`${nameOf(operation)} was approved.`);
    case 'failed':
      return already();
    case 'quarantined':
      return contradiction(`${nameOf(operation)} waits for a person too; settle it first.`);
  }
}

/** A refund may be returned after it has succeeded. */
async function decideReturned(
  { operation, rows, at }: NoticedOperation,
  refusal: Extract<CallResult, { outcome: 'declined' }>,
): Promise<NoticeDecision> {
  const context = await loadRefund(rows, operation);
  if (context.refund.status === 'failed') return already();
  const change = returnRefund(context, refusal, at);
  return change
    ? { decision: 'applied', change }
    : contradiction(`Refund ${context.refund.id} is ${context.refund.status}.`);
}

/** A person may have settled a capture for less than requested. */
async function expectedOf({
  operation,
  rows,
}: NoticedOperation): Promise<Pick<Operation, 'amount' | 'currency'>> {
  const { kind, state, outcome, amount, currency } = operation;
  if (state !== 'done' || outcome?.outcome !== 'approved') return { amount, currency };
  const charge = kind === 'authorize' ? await chargeOf(operation, rows) : undefined;
  if (charge?.status === 'succeeded') return { amount: charge.amountCaptured, currency };
  return { amount: outcome.amount, currency: outcome.currency };
}

/**
 * Why an approved operation moved no money: of an authorization, money moves only with a capture, and a
 * refund may have been returned.
 */
async function whyNothingMoved({ operation, rows }: NoticedOperation): Promise<string | undefined> {
  if (operation.kind === 'refund') {
    const { refund } = await loadRefund(rows, operation);
    return refund.status === 'failed' ? `Refund ${refund.id} was returned.` : undefined;
  }
  if (operation.kind !== 'authorize') return undefined;
  const charge = await chargeOf(operation, rows);
  if (charge?.status === 'succeeded') return undefined;
  return `The charge of ${nameOf(operation)} was not captured.`;
}

async function chargeOf(
  operation: Operation,
  rows: NoticeRepositories,
): Promise<Charge | undefined> {
  const chargeId = chargeIdOf(operation);
  return chargeId && rows.charges.find(operation, chargeId);
}

function feeOf(
  data: NoticeData[SettledKind],
): Pick<Extract<CallResult, { outcome: 'approved' }>, 'fee' | 'availableOn'> {
  return {
    ...(data.fee === undefined ? {} : { fee: data.fee }),
    ...('availableOn' in data && data.availableOn !== undefined
      ? { availableOn: data.availableOn }
      : {}),
  };
}

/** A bank's return code says more than the code of the adapter. */
function toRefusal(
  data: NoticeData[FailedKind],
  processorReference: string | undefined,
): Extract<CallResult, { outcome: 'declined' }> {
  const { code, message } = data;
  const { returnCode = code } = 'returnCode' in data ? data : {};
  const named = processorReference === undefined ? {} : { processorReference };
  return { outcome: 'declined', code, declineCode: returnCode, message, retry: 'never', ...named };
}

function nameOf({ kind, id }: Operation): string {
  return `Operation ${id} (${kind})`;
}
