import type { Mail } from '../../changes/mails/mail.ts';
import { newId } from '../../kernel/basics/id.ts';
import type { LogFacts } from '../../kernel/basics/logger.ts';
import type { Operation } from './operation.ts';
import { type OperationChange, type SubjectChange, writtenOperation } from './operation-change.ts';
import { answeredLate } from './operation-states.ts';
import type { Subject } from './operation-subject.ts';
import type { CallResult } from './outcome.ts';
import { REVIEW_SENTENCES, reviewCause, reviewMail } from './review-mail.ts';

/**
 * If a change quarantines its operation, adds the answer and a mail to the operators.
 * @param operator the recipient of the mail; absent: no mail
 * @returns any other change unchanged
 */
export function withReview<Of extends SubjectChange>(
  change: Of,
  result: CallResult,
  operator?: string,
): Of {
  const operation = writtenOperation(change);
  return operation?.state === 'quarantined'
    ? withAnswerAndMail(change, operation, result, operator)
    : change;
}

/**
 * Stores an answer that came after its operation was closed, and notifies the operators.
 * @param closed the current operation
 * @returns undefined if the answer equals the recorded outcome, or decides nothing
 */
export function lateChange(
  closed: Operation,
  { isReturned = false }: Pick<Subject, 'isReturned'>,
  result: CallResult,
  { at, operator }: { readonly at: Date; readonly operator?: string | undefined },
): OperationChange | undefined {
  if (!differs(closed, result) || (isReturned && isRefusal(result))) return undefined;
  const { accountId, environment } = closed;
  const row = answeredLate(closed, at);
  const writes = [{ kind: 'operation', mode: 'update', row }] as const;
  const change: OperationChange = { accountId, environment, at, writes };
  return withAnswerAndMail(change, row, result, operator);
}

/** Logs an error about a change after which a person must look at its operation. */
export function findReview(
  change: SubjectChange,
): { readonly facts: LogFacts; readonly sentence: string } | undefined {
  const operation = writtenOperation(change);
  if (operation === undefined || change.operationAnswer === undefined) return undefined;
  const { id, kind, subjectId, accountId, environment } = operation;
  const cause = reviewCause(operation, change.operationAnswer.answer);
  return {
    facts: { operation: id, kind, subject: subjectId, account: accountId, environment, cause },
    sentence: REVIEW_SENTENCES[cause],
  };
}

/** Whether the answer contradicts the recorded outcome, or the operation waits for any answer. */
function differs({ state, outcome }: Operation, result: CallResult): boolean {
  const recorded = state !== 'failed' && outcome?.outcome === 'approved' ? outcome : undefined;
  if (result.outcome !== 'approved') {
    return isRefusal(result) && (state === 'quarantined' || recorded !== undefined);
  }
  return (
    recorded === undefined ||
    recorded.amount !== result.amount ||
    recorded.currency !== result.currency ||
    // Two references are two payments: the operation was sent twice and executed twice.
    recorded.processorReference !== result.processorReference
  );
}

function isRefusal({ outcome }: CallResult): boolean {
  return outcome === 'declined' || outcome === 'rejected';
}

function withAnswerAndMail<Of extends SubjectChange>(
  change: Of,
  operation: Operation,
  answer: CallResult,
  operator: string | undefined,
): Of {
  const { at } = change;
  const { id } = operation;
  return {
    ...change,
    operationAnswer: { operationId: id, source: 'processor', answer, created: at },
    mails: operator === undefined ? [] : [mailTo(operator, operation, answer, at)],
  };
}

function mailTo(to: string, operation: Operation, answer: CallResult, created: Date): Mail {
  const { id, version, accountId } = operation;
  return {
    id: newId('mail'),
    dedupeKey: `operation:${id}:${version}`,
    accountId,
    to,
    created,
    ...reviewMail(operation, answer),
  };
}
