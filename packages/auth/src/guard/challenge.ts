import { errorFacts, type PaymountError } from '@paymount/core/kernel';

/**
 * The `WWW-Authenticate` header of an error's answer (RFC 6750, section 3). Never a Basic
 * challenge, because browsers open a dialog for it.
 * @returns the header's value, or `undefined` if the answer has none
 */
export function toChallenge(error: PaymountError): string | undefined {
  if (error.code === 'insufficient_scope') {
    return `Bearer error="insufficient_scope", scope="${String(error.extra?.['required_scope'])}"`;
  }
  if (error.code === 'insufficient_user_authentication') {
    // RFC 9470, section 3: how old the login may be.
    return `Bearer error="insufficient_user_authentication", max_age=${String(error.extra?.['max_age'])}`;
  }
  // The session of the host is in a cookie, for which there is no scheme.
  if (error.code === 'login_required') return undefined;
  if (errorFacts(error.code).status !== 401) return undefined;
  const sentNone = error.code === 'api_key_missing' || error.code === 'admin_unauthenticated';
  return sentNone ? 'Bearer realm="paymount"' : 'Bearer realm="paymount", error="invalid_token"';
}
