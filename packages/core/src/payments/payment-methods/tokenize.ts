import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { OPERATION_DEADLINE_MS, withDeadline } from '../processor/deadline.ts';
import { hideInError, hideInResult, hidesNumber } from '../processor/hide-number.ts';
import { requireResult } from '../processor/parse-answer.ts';
import type { Processor } from '../processor/processor.ts';
import type { TokenizeInput, TokenizeResult } from '../processor/tokenization.ts';
import { parseTokenization } from './parse-tokenization.ts';

/**
 * Sends a card or token to a processor and waits at most 30 s. It moves no money, so a missing
 * answer leaves nothing open. An adapter that repeats the number of the card or bank account does
 * not get it into an answer or the log.
 * @throws PaymountError `processor_error` if there is no readable answer
 */
export async function tokenize(
  processor: Processor,
  ...asked: Parameters<Processor['tokenize']>
): Promise<TokenizeResult> {
  const hide = hidesNumber(numberIn(asked[0]));
  try {
    const answer = await withDeadline(OPERATION_DEADLINE_MS, () => processor.tokenize(...asked));
    return hideInResult(requireResult('tokenize', parseTokenization(answer)), hide);
  } catch (error) {
    const cause = hideInError(error, hide);
    throw new PaymountError('processor_error', undefined, { cause });
  }
}

/** What an adapter was given, and must not repeat; empty for a token. */
function numberIn(input: TokenizeInput): string {
  if ('token' in input) return '';
  return input.type === 'card' ? input.card.number : input.usBankAccount.accountNumber;
}
