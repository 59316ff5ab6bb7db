import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { withDeadline } from './deadline.ts';
import { OPERATION_DEADLINE_MS } from './operation-states.ts';
import { requireResult } from './parse-answer.ts';
import { parseTokenization } from './parse-tokenization.ts';
import type { Processor } from './processor.ts';
import type { TokenizeResult } from './tokenization.ts';

/**
 * Sends a card or token to a processor and waits at most 30 s. It moves no money, so a missing
 * answer leaves nothing open.
 * @throws PaymountError `processor_error` if there is no readable answer
 */
export async function tokenize(
  processor: Processor,
  ...asked: Parameters<Processor['tokenize']>
): Promise<TokenizeResult> {
  try {
    const answer = await withDeadline(OPERATION_DEADLINE_MS, () => processor.tokenize(...asked));
    return requireResult('tokenize', parseTokenization(answer));
  } catch (cause) {
    throw new PaymountError('processor_error', undefined, { cause });
  }
}
