import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type {
  BankDestination,
  Notice,
  NoticeKind,
  NoticeOf,
  Outcome,
  PayoutOperation,
  ProcessorOperation,
  TokenizeInput,
} from '@paymount/core/payments';
import { mustAnswer } from './expectations.ts';
import type { NoticeSubject, SentNotices } from './fixtures.ts';
import type { ProcessorSetup } from './setup.ts';

/** So small that it cuts every line, and most characters that are not ASCII. */
const PIECE_BYTES = 7;

/** A card that was charged, or a bank account that was debited; of no kind in particular. */
export async function charged(
  setup: ProcessorSetup,
  input: TokenizeInput,
): Promise<NoticeSubject & Pick<ProcessorOperation, 'paymentMethod'>> {
  const operation = await saleOf(setup, input);
  const outcome = await setup.submit('authorize', operation);
  const { paymentMethod } = operation;
  const { processorToken } = paymentMethod;
  return { ...toSubject('authorize', operation, outcome), processorToken, paymentMethod };
}

async function saleOf(setup: ProcessorSetup, input: TokenizeInput): Promise<ProcessorOperation> {
  if (input.type === 'us_bank_account') return setup.debit(input);
  const { processorToken } = await setup.tokenize(input);
  return setup.operation(processorToken, { capture: true });
}

/** A refund of all of such a charge. */
export async function refunded(
  setup: ProcessorSetup,
  input: TokenizeInput,
): Promise<NoticeSubject> {
  const { paymentMethod, processorReference, currency } = await charged(setup, input);
  const previous = { processorReference };
  const { processorToken } = paymentMethod;
  const operation = setup.operation(processorToken, { paymentMethod, currency, previous });
  const outcome = await setup.submit('refund', operation);
  return { ...toSubject('refund', operation, outcome), processorToken };
}

export async function paidOut(
  setup: ProcessorSetup,
  destination: BankDestination,
): Promise<NoticeSubject> {
  const operation = setup.payout(destination);
  return toSubject('payout', operation, await setup.submitPayout(operation));
}

function toSubject(
  call: string,
  { operationId, amount, currency }: ProcessorOperation | PayoutOperation,
  outcome: Outcome,
): NoticeSubject {
  const isTaken = outcome.outcome === 'approved' || outcome.outcome === 'pending';
  assert(isTaken, mustAnswer(call, 'approved" or "pending', outcome.outcome));
  return { operationId, processorReference: outcome.processorReference, amount, currency };
}

/**
 * A charge that is disputed at the processor, as the adapter read it from a notice.
 * @param of the card that is charged
 * @defaultValue the one whose charges the processor disputes so, by the fixtures
 */
export async function disputed(
  setup: ProcessorSetup,
  kind: 'dispute.alert' | 'dispute.opened',
  of?: TokenizeInput,
): Promise<Required<Pick<NoticeSubject, 'disputeReference'>> & NoticeSubject> {
  const { approved, notices } = setup.fixtures;
  const subject = await charged(setup, of ?? notices?.[kind]?.of ?? approved);
  const [{ data } = assert.fail()] = await readAbout(setup, kind, [subject]);
  const { disputeReference, amount, currency } = data;
  return { ...subject, disputeReference, amount, currency };
}

/** What the processor sends about some operations. */
export async function sendAbout(
  setup: ProcessorSetup,
  kind: NoticeKind,
  subjects: readonly NoticeSubject[],
): Promise<SentNotices> {
  const fixture = setup.fixtures.notices?.[kind];
  assert(fixture !== undefined);
  return fixture.report(subjects);
}

/**
 * Reads what the processor sends about some operations, and reads it again, as when it is sent again.
 * @returns the one notice of this kind about each of them, in their order
 */
export async function readAbout<Kind extends NoticeKind>(
  setup: ProcessorSetup,
  kind: Kind,
  subjects: readonly NoticeSubject[],
): Promise<readonly NoticeOf<Kind>[]> {
  const sent = await sendAbout(setup, kind, subjects);
  const notices = await setup.ingest(sent);
  const ids = notices.map(({ noticeId }) => noticeId);
  assert(new Set(ids).size === ids.length, 'Two notices have the same noticeId.');
  const again = await setup.ingest(sent, PIECE_BYTES);
  const isSame = isDeepStrictEqual(again.map(toSaid), notices.map(toSaid));
  assert(isSame, 'ingest must yield the same when it gets the same bytes again, in other pieces.');
  return subjects.map((subject) => {
    const about = notices
      .filter((notice) => isOfKind(notice, kind))
      .filter((notice) => names(notice, subject));
    const count = `ingest must yield one ${kind} about each operation; it yielded ${about.length}`;
    assert(about[0] !== undefined && about.length === 1, `${count} about one.`);
    return about[0];
  });
}

/** When it happened is left out: some processors do not say, and adapters take the time. */
function toSaid({ noticeId, kind, data }: Notice): Pick<Notice, 'noticeId' | 'kind' | 'data'> {
  return { noticeId, kind, data };
}

function isOfKind<Kind extends NoticeKind>(
  notice: Notice,
  kind: Kind,
): notice is Extract<Notice, NoticeOf<Kind>> {
  return notice.kind === kind;
}

/** Whether a notice is about an operation: everything that it names must be of this one. */
function names(notice: Notice, subject: NoticeSubject): boolean {
  const { operationId, processorReference } = notice;
  if (notice.kind === 'account_update') {
    return notice.data.processorToken === subject.processorToken;
  }
  if (operationId === undefined) return processorReference === subject.processorReference;
  const isOther =
    processorReference !== undefined && processorReference !== subject.processorReference;
  return operationId === subject.operationId && !isOther;
}
