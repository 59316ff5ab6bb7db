/** Headers that are secrets, or prove one; lower case. */
const SECRET_HEADERS: ReadonlySet<string> = new Set([
  'authentication-info',
  'cookie2',
  'dpop',
  'proxy-authentication-info',
  'set-cookie',
  'set-cookie2',
]);

/**
 * Names that say it themselves: `x-auth-token`, `x-csrf-token`, `x-amz-security-token`, `api-key`,
 * `x-goog-api-key`, `proxy-authorization`, `stripe-signature`, `x-hub-signature-256`. An
 * `idempotency-key` is not one.
 */
const SECRET_NAME =
  /(?:^|[-_])(?:authorization|authentication|cookie|credentials?|csrf|xsrf|jwt|passw(?:or)?d|secret|signature(?:[-_][0-9]{1,4})?|token|(?:access|account|api|auth|functions|private|secret|security|session|subscription)[-_]?key)$/;

/** Whether the value of a header must not be logged or stored, whatever it is. */
export function isSecretHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return SECRET_HEADERS.has(lower) || SECRET_NAME.test(lower);
}
