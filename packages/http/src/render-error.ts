import { challengeOf } from '@paymount/auth';
import {
  answerOfError,
  type ErrorCode,
  errorFacts,
  PaymountError,
  type RequestId,
} from '@paymount/core';
import type { Answer } from './render-answer.ts';

/** The seconds after which a retry makes sense, where the error itself does not say. */
const RETRY_AFTER_SECONDS: Partial<Record<ErrorCode, number>> = {
  idempotency_key_in_use: 1,
  lists_busy: 1,
  lock_timeout: 1,
  operation_in_progress: 1,
  unavailable: 1,
};

/** What a person must decide first: clients that try conflicts again must not. */
const WAITING: ReadonlySet<ErrorCode> = new Set(['operation_under_review']);

/** The rest of such a request is not read, so its connection cannot serve another. */
const CLOSING: ReadonlySet<ErrorCode> = new Set(['body_too_large', 'body_timeout']);

/** An unknown error as callers may see it: fixed text, the cause for the log only. */
export function asPaymountError(error: unknown): PaymountError {
  return PaymountError.is(error)
    ? error
    : new PaymountError('internal_error', undefined, { cause: error });
}

/** The answer to a request that failed. */
export function renderError(error: PaymountError, requestId: RequestId): Answer {
  const { status, body } = answerOfError(error, requestId);
  return { status, body, headers: headersOf(error) };
}

function headersOf(error: PaymountError): Record<string, string> {
  const headers: Record<string, string> = {};
  const retryAfter = error.retryAfterSeconds ?? RETRY_AFTER_SECONDS[error.code];
  if (retryAfter !== undefined) headers['Retry-After'] = String(retryAfter);
  if (WAITING.has(error.code)) headers['Stripe-Should-Retry'] = 'false';
  if (CLOSING.has(error.code)) headers['Connection'] = 'close';
  const challenge = challengeOf(error);
  if (challenge !== undefined) headers['WWW-Authenticate'] = challenge;
  const allowed = error.extra?.['allowed_methods'];
  if (Array.isArray(allowed)) headers['Allow'] = allowed.join(', ');
  return headers;
}

/**
 * Whether an error met in execution is the final answer to its `Idempotency-Key`: what the request
 * asks for cannot be done. Errors of access, conflicts, limits and failures of ours may pass.
 */
export function isKept({ code }: PaymountError): boolean {
  const { status } = errorFacts(code);
  return status >= 400 && status < 500 && ![401, 403, 409, 429].includes(status);
}
