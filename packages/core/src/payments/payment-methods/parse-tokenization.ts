import { z } from 'zod';
import { withErrorHint } from '../../kernel/errors/error-hints.ts';
import {
  CodeField,
  MessageField,
  NameField,
  optional,
  type ParsedAnswer,
  parseAnswer,
  ShownNameField,
} from '../processor/parse-answer.ts';
import type { PaymentMethodFacts, TokenizeResult } from '../processor/tokenization.ts';

const REFUSALS = [
  'incorrect_number',
  'invalid_cvc',
  'invalid_expiry_month',
  'invalid_expiry_year',
  'live_card_in_sandbox',
  'test_number_required',
  'routing_number_invalid',
  'parameter_invalid',
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
  brand: ShownNameField,
  last4: withErrorHint(z.string().regex(/^\d{4}$/), 'a text of 4 digits'),
  expMonth: withErrorHint(z.int().min(1).max(12), 'an integer from 1 to 12'),
  expYear: withErrorHint(z.int().min(2000).max(MAX_YEAR), `an integer from 2000 to ${MAX_YEAR}`),
  fingerprint: NameField,
  funding: withErrorHint(z.enum(FUNDINGS).default('unknown'), `${FUNDINGS.join(', ')}, or absent`),
  country: CodeField,
  checks: z.object({ cvcCheck: CheckField, addressPostalCodeCheck: CheckField }),
});

export const ACCOUNT_TYPES = ['checking', 'savings'] as const;
const HOLDER_TYPES = ['individual', 'company'] as const;
export const RoutingNumberField = withErrorHint(z.string().regex(/^\d{9}$/), 'a text of 9 digits');
export const AccountNumberField = withErrorHint(
  z.string().regex(/^\d{4,17}$/),
  'a text of 4 to 17 digits',
);

const BankAccountFields = z.object({
  routingNumber: RoutingNumberField,
  last4: withErrorHint(z.string().regex(/^\d{4}$/), 'a text of 4 digits'),
  accountType: withErrorHint(z.enum(ACCOUNT_TYPES), ACCOUNT_TYPES.join(' or ')),
  accountHolderType: withErrorHint(z.enum(HOLDER_TYPES), HOLDER_TYPES.join(' or ')),
  accountHolderName: optional(ShownNameField),
  bankName: optional(ShownNameField),
  accountNumber: optional(AccountNumberField),
  fingerprint: optional(NameField),
});

const FACTS = {
  card: z.object({ type: z.literal('card'), card: CardFields, processorToken: NameField }),
  us_bank_account: z.object({
    type: z.literal('us_bank_account'),
    usBankAccount: BankAccountFields,
    processorToken: optional(NameField),
  }),
} as const;

const RESULTS = {
  tokenized: z.object({ result: z.literal('tokenized'), facts: z.unknown() }),
  refused: z.object({
    result: z.literal('refused'),
    code: withErrorHint(z.enum(REFUSALS), `one of ${REFUSALS.join(', ')}`),
    message: MessageField,
    param: optional(CodeField),
  }),
  unknown_token: z.object({ result: z.literal('unknown_token') }),
} as const;

/** The facts of a card or bank account are read after the rest, by their type. */
type Read =
  | Exclude<TokenizeResult, { readonly result: 'tokenized' }>
  | { readonly result: 'tokenized'; readonly facts?: unknown };

/** Reads an adapter's answer to `tokenize`, as `parseAnswer` does. */
export function parseTokenization(answer: unknown): ParsedAnswer<TokenizeResult> {
  const read = parseAnswer<Read>(answer, 'result', RESULTS);
  if (!('result' in read)) return read;
  const { result } = read;
  if (result.result !== 'tokenized') return { result };
  const facts = parseAnswer<PaymentMethodFacts>(result.facts, 'type', FACTS);
  if ('result' in facts) return { result: { result: 'tokenized', facts: facts.result } };
  const { path, issue } = facts.unreadable;
  return { unreadable: { path: path === '' ? 'facts' : `facts.${path}`, issue } };
}
