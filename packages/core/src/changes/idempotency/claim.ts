import type { Call } from '../../kernel/callers/principal.ts';
import type { Change } from '../change.ts';
import { answerOf } from './answer.ts';
import type { StoredAnswer } from './idempotency.ts';

/**
 * The claim of a call to a processor. If the processor is called only after the host's transaction,
 * the answer is the resource as it is now, and a repetition gets the same answer.
 */
export function claimOfIntent(
  call: Call,
  isDeferred: boolean,
  resource: object,
): Pick<Change, 'claim' | 'answer'> {
  if (isDeferred) return claimAndResource(call, resource);
  return call.claim === undefined ? {} : { claim: call.claim };
}

/** The claim and the final answer of a call that ends with this change. */
export function claimAndAnswer(call: Call, answer: StoredAnswer): Pick<Change, 'claim' | 'answer'> {
  if (call.claim === undefined) return {};
  return { claim: call.claim, answer: { key: call.claim.key, answer } };
}

/** As `claimAndAnswer`, for a resource. */
export function claimAndResource(call: Call, resource: object): Pick<Change, 'claim' | 'answer'> {
  return call.claim === undefined ? {} : claimAndAnswer(call, answerOf(resource));
}
