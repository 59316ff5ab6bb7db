import { z } from 'zod';
import { withErrorHint } from '../../kernel/errors/error-hints.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { COUNTRY_HINT, isCountry } from '../../kernel/input/country.ts';
import { OPERATION_DEADLINE_MS, withDeadline } from '../processor/deadline.ts';
import { hideInError, hideInResult, hidesNumber } from '../processor/hide-number.ts';
import {
  CodeField,
  MessageField,
  NameField,
  optional,
  type ParsedAnswer,
  parseAnswer,
  requireResult,
  ShownNameField,
} from '../processor/parse-answer.ts';
import type { BankAccountAnswer, BankAccountInput, Processor } from '../processor/processor.ts';

const REFUSALS = ['test_number_required', 'routing_number_invalid', 'parameter_invalid'] as const;

const ANSWERS = {
  accepted: z.object({
    result: z.literal('accepted'),
    bankAccount: z.object({
      country: withErrorHint(
        CodeField.transform((code) => code.toUpperCase()).pipe(z.string().refine(isCountry)),
        COUNTRY_HINT,
      ),
      accountNumber: NameField,
      routingNumber: withErrorHint(
        CodeField.pipe(z.string().max(34)).nullable().default(null),
        'a text of at most 34 characters, or null',
      ),
      last4: withErrorHint(CodeField.pipe(z.string().min(1).max(4)), 'a text of 1 to 4 characters'),
      bankName: optional(ShownNameField),
      currency: optional(CodeField),
    }),
  }),
  refused: z.object({
    result: z.literal('refused'),
    code: withErrorHint(z.enum(REFUSALS), `one of ${REFUSALS.join(', ')}`),
    message: MessageField,
  }),
  unknown_token: z.object({ result: z.literal('unknown_token') }),
} as const;

/**
 * Asks a processor about a bank account and waits at most 30 s. It moves no money, so a missing
 * answer leaves nothing open.
 * @throws PaymountError `processor_error` if there is no readable answer
 */
export async function checkBankAccount(
  processor: Processor,
  input: BankAccountInput,
  context: Parameters<NonNullable<Processor['checkBankAccount']>>[1],
): Promise<BankAccountAnswer> {
  if (processor.checkBankAccount === undefined) return unchecked(input);
  const hide = hidesNumber('accountNumber' in input ? input.accountNumber : '');
  try {
    const answer = await withDeadline(OPERATION_DEADLINE_MS, async () =>
      processor.checkBankAccount?.(input, context),
    );
    const reading = parseBankAccountAnswer(answer);
    return hideInResult(requireResult('checkBankAccount', reading), hide);
  } catch (error) {
    const cause = hideInError(error, hide);
    throw new PaymountError('processor_error', undefined, { cause });
  }
}

/** Reads an adapter's answer about a bank account, as `parseAnswer` does. */
export function parseBankAccountAnswer(answer: unknown): ParsedAnswer<BankAccountAnswer> {
  return parseAnswer<BankAccountAnswer>(answer, 'result', ANSWERS);
}

function unchecked(input: BankAccountInput): BankAccountAnswer {
  if ('token' in input) return { result: 'unknown_token' };
  const { country, accountNumber, routingNumber } = input;
  const last4 = accountNumber.slice(-4);
  return { result: 'accepted', bankAccount: { country, accountNumber, routingNumber, last4 } };
}
