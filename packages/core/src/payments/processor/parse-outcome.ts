import { z } from 'zod';
import { withErrorHint } from '../../kernel/errors/error-hints.ts';
import {
  CodeField,
  MessageField,
  NameField,
  NetworkCodeField,
  optional,
  type ParsedAnswer,
  parseAnswer,
  UrlField,
  WordField,
} from './parse-answer.ts';
import type { Outcome } from './processor.ts';

const MAX_FEE = 99_999_999;
/** 1970 to 9999, the same range as times in requests. */
const MAX_TIME_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** A time, as an ISO 8601 text in UTC. */
export const TimestampField = withErrorHint(
  z
    .union([z.iso.datetime({ offset: true }), z.iso.date(), z.date()])
    .transform((moment) => new Date(moment))
    .refine((moment) => moment.getTime() >= 0 && moment.getTime() <= MAX_TIME_MS)
    .transform((moment) => moment.toISOString()),
  'an ISO 8601 time with an offset, a date, or a Date, from 1970 to 9999',
);

/** An ISO 4217 code, in lower case. */
export const CurrencyField = withErrorHint(
  CodeField.transform((code) => code.toLowerCase()),
  'an ISO 4217 code',
);
/** The processor's fee, minor units. */
export const FeeField = withErrorHint(
  z.int().min(0).max(MAX_FEE),
  `an integer from 0 to ${MAX_FEE}`,
);
/** The fee of a settlement line; negative if the processor gives it back. */
export const LineFeeField = withErrorHint(
  z.int().min(-MAX_FEE).max(MAX_FEE),
  `an integer from -${MAX_FEE} to ${MAX_FEE}`,
);

const OUTCOMES = {
  approved: z.object({
    outcome: z.literal('approved'),
    processorReference: NameField,
    amount: withErrorHint(z.int(), 'an integer'),
    currency: CurrencyField,
    networkTransactionId: optional(NameField),
    availableOn: optional(TimestampField),
    fee: optional(FeeField),
  }),
  declined: z.object({
    outcome: z.literal('declined'),
    code: WordField,
    declineCode: NetworkCodeField,
    message: MessageField,
    processorReference: optional(NameField),
    retry: withErrorHint(z.enum(['never', 'later', 'customer']), 'never, later or customer'),
    advice: optional(CodeField),
    blocked: optional(withErrorHint(z.boolean(), 'true or false')),
  }),
  pending: z.object({
    outcome: z.literal('pending'),
    processorReference: NameField,
    networkTransactionId: optional(NameField),
    expectedBy: TimestampField,
  }),
  action_required: z.object({
    outcome: z.literal('action_required'),
    redirectUrl: UrlField,
    processorReference: NameField,
  }),
  rejected: z.object({
    outcome: z.literal('rejected'),
    code: WordField,
    message: MessageField,
  }),
} as const;

/**
 * Reads an adapter's answer to a submission, as `parseAnswer` does. Times may have an offset,
 * currencies may be in upper case. Characters that PostgreSQL cannot store are removed from texts,
 * and messages are shortened.
 */
export function parseOutcome(answer: unknown): ParsedAnswer<Outcome> {
  return parseAnswer<Outcome>(answer, 'outcome', OUTCOMES);
}

/** The same for the answer to a look-up, which may also be `not_found`. */
export function parseLookup(answer: unknown): ParsedAnswer<Outcome | 'not_found'> {
  return answer === 'not_found' ? { result: answer } : parseOutcome(answer);
}
