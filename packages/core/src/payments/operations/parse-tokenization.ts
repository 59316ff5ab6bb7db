import { z } from 'zod';
import { withErrorHint } from '../../kernel/errors/error-hints.ts';
import {
  CodeField,
  MessageField,
  NameField,
  optional,
  type ParsedAnswer,
  parseAnswer,
} from './parse-answer.ts';
import type { TokenizeResult } from './processor.ts';

const REFUSALS = [
  'incorrect_number',
  'invalid_cvc',
  'invalid_expiry_month',
  'invalid_expiry_year',
  'live_card_in_sandbox',
  'card_declined',
  'processing_error',
] as const;
const MAX_YEAR = 9_999;
const CHECKS = ['pass', 'fail', 'unavailable', 'unchecked'] as const;
const FUNDINGS = ['credit', 'debit', 'prepaid', 'unknown'] as const;

const CheckField = withErrorHint(
  z.enum(CHECKS).nullable().default(null),
  `${CHECKS.join(', ')} or null`,
);

const CardFields = z.object({
  brand: NameField,
  last4: withErrorHint(z.string().regex(/^\d{4}$/), 'a text of 4 digits'),
  expMonth: withErrorHint(z.int().min(1).max(12), 'an integer from 1 to 12'),
  expYear: withErrorHint(z.int().min(2000).max(MAX_YEAR), `an integer from 2000 to ${MAX_YEAR}`),
  fingerprint: NameField,
  funding: withErrorHint(z.enum(FUNDINGS).default('unknown'), `${FUNDINGS.join(', ')}, or absent`),
  country: CodeField,
  checks: z.object({ cvcCheck: CheckField, addressPostalCodeCheck: CheckField }),
});

const RESULTS = {
  tokenized: z.object({
    result: z.literal('tokenized'),
    facts: z.object({
      type: withErrorHint(z.literal('card'), 'card'),
      card: CardFields,
      processorToken: NameField,
    }),
  }),
  refused: z.object({
    result: z.literal('refused'),
    code: withErrorHint(z.enum(REFUSALS), `one of ${REFUSALS.join(', ')}`),
    message: MessageField,
    param: optional(CodeField),
  }),
  unknown_token: z.object({ result: z.literal('unknown_token') }),
} as const;

/** Reads an adapter's answer to `tokenize`, as `parseAnswer` does. */
export function parseTokenization(answer: unknown): ParsedAnswer<TokenizeResult> {
  return parseAnswer<TokenizeResult>(answer, 'result', RESULTS);
}
