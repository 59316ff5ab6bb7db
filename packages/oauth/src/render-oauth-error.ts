import { errorFacts, type PaymountError } from '@paymount/core/kernel';
import { connectionHeaders, type RouteResponse } from '@paymount/http';

/** The codes of ours that RFC 6749, section 5.2, and its extensions name. */
const STANDARD: ReadonlySet<string> = new Set([
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'invalid_scope',
  'unsupported_grant_type',
  'unsupported_response_type',
  'invalid_target',
]);

/**
 * The response to a failed request (RFC 6749, section 5.2): `error` and `error_description`.
 * @param error the causes of other errors than those of OAuth are not shown
 */
export function renderOAuthError(error: PaymountError): RouteResponse {
  const { status, name, description } = toOAuthError(error);
  return {
    status,
    body: JSON.stringify({ error: name, error_description: description }),
    headers: {
      ...connectionHeaders(error),
      ...(error.extra?.['basic'] === true && { 'WWW-Authenticate': 'Basic realm="paymount"' }),
    },
  };
}

/** The fields of an error of OAuth. */
export function toOAuthError({ code, message }: PaymountError): OAuthError {
  return { ...nameOf(code), description: describe(message) };
}

interface OAuthError {
  readonly status: number;
  readonly name: string;
  readonly description: string;
}

function nameOf(code: PaymountError['code']): Pick<OAuthError, 'status' | 'name'> {
  const { status } = errorFacts(code);
  if (STANDARD.has(code)) return { status, name: code };
  if (status === 429 || status === 503) return { status, name: 'temporarily_unavailable' };
  // Of several callers, some did not get a lock in time.
  if (code === 'lock_timeout') return { status: 503, name: 'temporarily_unavailable' };
  return status < 500 ? { status, name: 'invalid_request' } : { status: 500, name: 'server_error' };
}

/** Only printable ASCII without quotes and backslashes (RFC 6749, section 5.2). */
function describe(message: string): string {
  return message.replace(/"/g, "'").replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?');
}
