import { hideInResult, hideNumbers } from '../processor/hide-number.ts';
import type { Operation } from './operation.ts';
import type { SubjectChange } from './operation-change.ts';
import type { OperationStorage } from './operation-storage.ts';
import type { CallResult } from './outcome.ts';

/**
 * What a look-up found, without the account number that an adapter may repeat in its message about a
 * bank account. No number is opened for it: the one that was sent may have been corrected since.
 */
export async function hideLookedUpNumber(
  { storage }: { readonly storage: Pick<OperationStorage<SubjectChange>, 'load'> },
  operation: Operation,
  found: CallResult | 'not_found',
): Promise<CallResult | 'not_found'> {
  if (found === 'not_found' || !('message' in found)) return found;
  const hidden = hideInResult(found, hideNumbers);
  if (hidden.message === found.message) return found;
  try {
    const subject = await storage.load(operation);
    return subject.isOfBankAccount ? hidden : found;
  } catch {
    return hidden;
  }
}
