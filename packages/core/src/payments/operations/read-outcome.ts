import { z } from 'zod';
import type { Logger } from '../../kernel/basics/logger.ts';
import { withErrorHint } from '../../kernel/errors/error-hints.ts';
import type { Operation } from './operation.ts';
import type { Outcome } from './processor.ts';
import {
  CodeAnswer,
  MessageAnswer,
  NameAnswer,
  optional,
  type Reading,
  readAnswer,
  UrlAnswer,
} from './read-answer.ts';

const MAX_FEE = 99_999_999;
/** 1970 to 9999, the same range as times in requests. */
const MAX_TIME_MS = Date.parse('9999-12-31T23:59:59.999Z');

const MomentAnswer = withErrorHint(
  z
    .union([z.iso.datetime({ offset: true }), z.iso.date(), z.date()])
    .transform((moment) => new Date(moment))
    .refine((moment) => moment.getTime() >= 0 && moment.getTime() <= MAX_TIME_MS)
    .transform((moment) => moment.toISOString()),
  'an ISO 8601 time with an offset, a date, or a Date, from 1970 to 9999',
);

const OUTCOMES = {
  approved: z.object({
    outcome: z.literal('approved'),
    processorReference: NameAnswer,
    amount: withErrorHint(z.int(), 'an integer'),
    currency: withErrorHint(
      CodeAnswer.transform((code) => code.toLowerCase()),
      'an ISO 4217 code',
    ),
    networkTransactionId: optional(NameAnswer),
    availableOn: optional(MomentAnswer),
    fee: optional(withErrorHint(z.int().min(0).max(MAX_FEE), `an integer from 0 to ${MAX_FEE}`)),
  }),
  declined: z.object({
    outcome: z.literal('declined'),
    code: CodeAnswer,
    declineCode: CodeAnswer,
    message: MessageAnswer,
    retry: withErrorHint(z.enum(['never', 'later', 'customer']), 'never, later or customer'),
    advice: optional(CodeAnswer),
    blocked: optional(withErrorHint(z.boolean(), 'true or false')),
  }),
  pending: z.object({
    outcome: z.literal('pending'),
    processorReference: NameAnswer,
    expectedBy: MomentAnswer,
  }),
  action_required: z.object({
    outcome: z.literal('action_required'),
    redirectUrl: UrlAnswer,
    processorReference: NameAnswer,
  }),
  rejected: z.object({
    outcome: z.literal('rejected'),
    code: CodeAnswer,
    message: MessageAnswer,
  }),
} as const;

/**
 * Reads an adapter's answer to a submission, as `readAnswer` does. Times may have an offset,
 * currencies may be in upper case. Characters that PostgreSQL cannot store are removed from texts,
 * and messages are shortened.
 */
export function readOutcome(answer: unknown): Reading<Outcome> {
  return readAnswer<Outcome>(answer, 'outcome', OUTCOMES);
}

/** The same for the answer to a look-up, which may also be `not_found`. */
export function readLookup(answer: unknown): Reading<Outcome | 'not_found'> {
  return answer === 'not_found' ? { result: answer } : readOutcome(answer);
}

/** The outcome of a reading. An unreadable answer is logged without its values, and is unknown. */
export function toOutcome<Result>(
  reading: Reading<Result>,
  operation: Operation,
  logger: Logger,
): Result | { readonly outcome: 'unknown' } {
  if ('result' in reading) return reading.result;
  logger.error(
    { operation: operation.id, kind: operation.kind, ...reading.unreadable },
    'The answer of a processor cannot be read; its outcome is unknown.',
  );
  return { outcome: 'unknown' };
}
