import { hideInResult, hideNumbers } from './hide-number.ts';
import type { Operation } from './operation.ts';
import type { RunnerPorts } from './operation-runner.ts';
import { isOfBankAccount } from './operation-subject.ts';
import type { CallResult } from './outcome.ts';

/**
 * What a look-up found, without the account number that an adapter may repeat in its message about a
 * bank account. No number is opened for it: the one that was sent may have been corrected since.
 */
export async function hideLookedUpNumber(
  { subjects, storage }: Pick<RunnerPorts, 'subjects' | 'storage'>,
  operation: Operation,
  found: CallResult | 'not_found',
): Promise<CallResult | 'not_found'> {
  if (found === 'not_found' || !('message' in found)) return found;
  const hidden = hideInResult(found, hideNumbers);
  if (hidden.message === found.message) return found;
  try {
    const subject = await subjects[operation.kind](operation, storage.read);
    return isOfBankAccount(subject) ? hidden : found;
  } catch {
    return hidden;
  }
}
