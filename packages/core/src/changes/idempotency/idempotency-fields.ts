import type { Call } from '../../kernel/callers/principal.ts';
import type { Change } from '../change.ts';
import type { StoredResponse } from './idempotency.ts';
import { toStoredResponse } from './stored-response.ts';

/**
 * The claim of a call to a processor. If the processor is called only after the host's transaction,
 * the answer is the resource as it is now, and a repetition gets the same answer.
 */
export function intentFields(
  call: Call,
  isDeferred: boolean,
  resource: object,
): Pick<Change, 'claim' | 'response'> {
  if (isDeferred) return resourceFields(call, resource);
  return call.claim === undefined ? {} : { claim: call.claim };
}

/** The claim and the final answer of a call that ends with this change. */
export function responseFields(
  call: Call,
  response: StoredResponse,
): Pick<Change, 'claim' | 'response'> {
  if (call.claim === undefined) return {};
  return { claim: call.claim, response: { key: call.claim.key, response: response } };
}

/** As `responseFields`, for a resource. */
export function resourceFields(call: Call, resource: object): Pick<Change, 'claim' | 'response'> {
  return call.claim === undefined ? {} : responseFields(call, toStoredResponse(resource));
}
