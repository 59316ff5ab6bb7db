import { toChallenge } from '@paymount/auth';
import { toStoredErrorResponse } from '@paymount/core/changes';
import { type ErrorCode, errorFacts, PaymountError, type RequestId } from '@paymount/core/kernel';
import type { TextResponse } from './render-response.ts';

/** The seconds after which a retry makes sense, if the error does not say it. */
const RETRY_AFTER_SECONDS: Partial<Record<ErrorCode, number>> = {
  bodies_busy: 1,
  bytes_limit_reached: 1,
  idempotency_key_in_use: 1,
  lists_busy: 1,
  lock_timeout: 1,
  operation_in_progress: 1,
  subscription_renewal_due: 1,
  test_clock_advancing: 1,
  unavailable: 1,
};

/** The maximum time that SDKs wait; for a longer `Retry-After` they retry sooner. */
const LONGEST_WAIT_SECONDS = 60;

/** The rest of such a request is not read, so its connection cannot be reused. */
const CLOSING: ReadonlySet<ErrorCode> = new Set(['body_too_large', 'body_timeout']);

/** An unknown error as callers may see it: fixed text; the cause is only for the log. */
export function asPaymountError(error: unknown): PaymountError {
  return PaymountError.is(error)
    ? error
    : new PaymountError('internal_error', undefined, { cause: error });
}

/** The answer to a failed request. */
export function renderError(error: PaymountError, requestId: RequestId): TextResponse {
  const { status, body } = toStoredErrorResponse(error, requestId);
  return { status, body, headers: errorHeaders(error, status) };
}

function errorHeaders(error: PaymountError, status: number): Record<string, string> {
  const headers = connectionHeaders(error);
  const retryAfter = error.retryAfterSeconds ?? RETRY_AFTER_SECONDS[error.code];
  const shouldRetry = retryHelps(error, status, retryAfter);
  if (shouldRetry !== undefined) headers['Stripe-Should-Retry'] = String(shouldRetry);
  const challenge = toChallenge(error);
  if (challenge !== undefined) headers['WWW-Authenticate'] = challenge;
  return headers;
}

/** The headers of an error in any form: when to try again, how, and whether the connection ends. */
export function connectionHeaders(error: PaymountError): Record<string, string> {
  const headers: Record<string, string> = {};
  const retryAfter = error.retryAfterSeconds ?? RETRY_AFTER_SECONDS[error.code];
  if (retryAfter !== undefined) headers['Retry-After'] = String(retryAfter);
  if (CLOSING.has(error.code)) headers['Connection'] = 'close';
  const allowed = error.extra?.['allowed_methods'];
  if (Array.isArray(allowed)) headers['Allow'] = allowed.join(', ');
  return headers;
}

/**
 * Whether the same request, under the same `Idempotency-Key`, can succeed in the time that SDKs wait.
 * @returns undefined if the SDKs decide correctly by the status
 */
function retryHelps(
  { isKept }: PaymountError,
  status: number,
  retryAfterSeconds: number | undefined,
): boolean | undefined {
  switch (status) {
    case 409:
    case 429:
      // For all others a person must act first.
      return retryAfterSeconds !== undefined && retryAfterSeconds <= LONGEST_WAIT_SECONDS;
    case 502:
      return isKept !== true;
    default:
      return undefined;
  }
}

/**
 * Whether an error during execution is the final answer to its `Idempotency-Key`: the request
 * cannot be executed. Errors of access, conflicts, limits and internal errors may be temporary.
 */
export function isKept({ code }: PaymountError): boolean {
  const { status } = errorFacts(code);
  return status >= 400 && status < 500 && ![401, 403, 409, 429].includes(status);
}
