import type { Change } from '../changes/change.ts';
import type { Call } from '../shared/principal.ts';
import { answerOf } from './answer.ts';
import type { StoredAnswer } from './idempotency.ts';

/** The claim of a call that goes on after this change (a processor is asked). */
export function claimOf(call: Call): Pick<Change, 'claim'> {
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
