import { composeMail, type MailContent } from '../../changes/mails/compose-mail.ts';
import type { Mail } from '../../changes/mails/mail.ts';
import { describeMoney } from '../../kernel/input/currency.ts';
import { OPERATION_NOUNS } from '../processor/processor.ts';
import type { Operation } from './operation.ts';
import { type CallResult, contradicts } from './outcome.ts';

/**
 * Why a person must look at an operation: the processor approved another amount or currency; it
 * did not answer the last look-up either, or put the outcome off again; its answer could not be recorded, at no
 * try; it answered when the operation was closed; or the result has waited for the host's hook for more than 5 minutes.
 */
export const REVIEW_CAUSES = [
  'contradiction',
  'no_answer',
  'unrecorded',
  'late_answer',
  'hook_waits',
] as const;
export type ReviewCause = (typeof REVIEW_CAUSES)[number];

export const REVIEW_SENTENCES: Readonly<Record<ReviewCause, string>> = {
  contradiction:
    'An operation waits for a person: the processor approved another amount or currency.',
  no_answer: 'An operation waits for a person: the processor did not report its outcome.',
  unrecorded:
    'An operation waits for a person: what the processor answered could not be recorded, at any try. The log has the errors.',
  late_answer:
    'An operation waits for a person: the processor answered differently after it was closed.',
  hook_waits: 'The result of an operation waits for the hook and is not recorded.',
};

/** Why a person must look at an operation after this answer. */
export function reviewCause(operation: Operation, answer: CallResult): ReviewCause {
  if (operation.state !== 'quarantined') return 'late_answer';
  if (contradicts(operation, answer)) return 'contradiction';
  if (operation.outcome === answer) return 'unrecorded';
  return answer.outcome === 'unknown' || answer.outcome === 'pending' ? 'no_answer' : 'late_answer';
}

/** The mail to the operators about an operation that a person must look at. */
export function reviewMail(
  operation: Operation,
  answer: CallResult,
): Pick<Mail, 'subject' | 'text' | 'html'> {
  const { id, kind, subjectId, accountId, environment, amount, currency } = operation;
  const isOpen = operation.state === 'quarantined';
  const noun = OPERATION_NOUNS[kind];
  const letter: MailContent = {
    subject: `A ${environment} ${noun} of ${subjectId} ${isOpen ? 'waits for you' : 'was answered after it was closed'}`,
    parts: [
      REVIEW_SENTENCES[reviewCause(operation, answer)],
      [
        `Operation: ${id}`,
        `Account: ${accountId}`,
        `Environment: ${environment}`,
        `Requested: ${noun} of ${describeMoney(amount, currency)} for ${subjectId}`,
        `Processor: ${operation.processor}`,
        `Answer: ${answerText(answer)}`,
      ],
      isOpen ? SETTLE : DISMISS,
      `See it with: paymount operations show ${id}`,
    ],
  };
  return composeMail(letter);
}

const SETTLE =
  'Nothing was posted for it, and requests that depend on it are refused until it is settled. ' +
  'Ask the processor for the outcome, then settle it as approved, declined or not executed.';

const DISMISS =
  'It did not change the ledger, so the processor and the ledger disagree. Correct it at the ' +
  'processor, then dismiss it here.';

function answerText(answer: CallResult): string {
  switch (answer.outcome) {
    case 'approved': {
      const { amount, currency, processorReference } = answer;
      return `approved ${describeMoney(amount, currency)}, reference ${processorReference}`;
    }
    case 'declined':
    case 'rejected':
      return `${answer.outcome} (${answer.code})`;
    case 'pending':
    case 'action_required':
      return `${answer.outcome}, reference ${answer.processorReference}`;
    case 'not_sent':
    case 'unknown':
      return 'none';
  }
}
