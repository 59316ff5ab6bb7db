import type { ErrorCodeFacts } from './request-errors.ts';

const unauthenticated = (meaning: string, cure: string): ErrorCodeFacts => ({
  type: 'authentication_error',
  status: 401,
  meaning,
  cure,
});
const forbidden = (meaning: string, cure: string): ErrorCodeFacts => ({
  type: 'permission_error',
  status: 403,
  meaning,
  cure,
});

/**
 * Errors about the caller: the credential is missing, wrong, lacks a right, or is used too often.
 */
export const ACCESS_ERRORS = {
  api_key_missing: unauthenticated(
    'The request carries no key.',
    'Send `Authorization: Bearer <key>`, or the key as Basic user name.',
  ),
  api_key_malformed: unauthenticated(
    'The credential is not a whole key.',
    'Copy the key again. The message says what is wrong with it.',
  ),
  api_key_invalid: unauthenticated(
    'No such key exists.',
    'Check that the key belongs to this installation.',
  ),
  api_key_revoked: unauthenticated('The key was revoked.', 'Use its successor.'),
  api_key_expired: unauthenticated('The key has expired.', 'Use its successor.'),
  token_expired: unauthenticated(
    'The access token has expired.',
    'Exchange the refresh token for a new pair.',
  ),
  token_revoked: unauthenticated(
    'The access token was revoked, or the approval of the merchant, or the platform is disabled.',
    'Exchange the refresh token. If the response is `invalid_grant`, ask the merchant to approve again.',
  ),
  livemode_mismatch: unauthenticated(
    'A test key was sent to the live environment, or a live key to the test environment.',
    'Use the key of this environment.',
  ),
  account_disabled: forbidden(
    'The account is suspended.',
    'Ask the operator of this installation.',
  ),
  publishable_key_not_allowed: forbidden(
    'A publishable key may only create tokens and payment methods.',
    'Use a secret or restricted key on a server.',
  ),
  insufficient_scope: forbidden(
    'The key lacks the scope of the route.',
    'Use a key with the scope that `required_scope` names.',
  ),
  secret_key_required: forbidden(
    'No scope covers the route.',
    'Use a secret key. Restricted keys and tokens of platforms cannot call the route.',
  ),
  ip_not_allowed: forbidden(
    'The key may not be used from this address.',
    'Send the request from an address in the list of the key, or have the list changed.',
  ),
  tls_required: forbidden(
    'The request did not come over TLS 1.2 or later.',
    'Use https, and rotate the key, because others may have read it. A [mount](../how-to/serve-over-tls.md#turn-it-off) that can only be reached from a private network may set `requireTls: false`.',
  ),
  permission_denied: forbidden(
    'The caller does not have permission for this request.',
    'Act for the account of the key; an admin needs the permission that `required_permission` names.',
  ),
  admin_unauthenticated: unauthenticated(
    'The request has no valid admin login.',
    'Sign in as the message says. API keys do not work in the management API.',
  ),
  login_required: unauthenticated(
    'Nobody is logged in to the pages of the host.',
    'Log in, then open the page again.',
  ),
  insufficient_user_authentication: unauthenticated(
    'This needs a login that is at most 10 minutes old.',
    'Sign in again, then repeat the request.',
  ),
  leak_report_unverified: unauthenticated(
    'The report is not signed by a known key of the reporter.',
    'Sign the raw body with a key of the published list.',
  ),
  bytes_limit_reached: {
    type: 'rate_limit_error',
    status: 429,
    meaning:
      'The requests and answers of this caller that are in progress have as many bytes as they may.',
    cure: 'Wait until some of them have ended, and send fewer uploads at a time.',
  },
  rate_limit: {
    type: 'rate_limit_error',
    status: 429,
    meaning: 'Too many requests came from this key, account, address or admin.',
    cure: 'Wait for the seconds that `Retry-After` names.',
  },
} as const satisfies Record<string, ErrorCodeFacts>;
