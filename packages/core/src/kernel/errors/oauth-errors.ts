import { type ErrorCodeFacts, invalid } from './request-errors.ts';

/** Errors of `/oauth`, whose codes RFC 6749 and its extensions define. */
export const OAUTH_ERRORS = {
  invalid_request: invalid(
    'A parameter of OAuth is missing, has a wrong form, or was sent twice.',
    'Send the parameters as RFC 6749 and the message describe.',
  ),
  invalid_client: {
    type: 'authentication_error',
    status: 401,
    meaning: 'The platform is unknown or disabled, or its client secret is wrong.',
    cure: 'Send the `client_id` and a client secret that works, in the body or as Basic.',
  },
  invalid_grant: invalid(
    'The code or the refresh token does not work.',
    'Ask the merchant to approve again.',
  ),
  invalid_scope: invalid(
    'The scope is unknown, or not allowed here.',
    'Ask for scopes that the platform has, and that the merchant approved.',
  ),
  unsupported_grant_type: invalid(
    'There is no such grant type.',
    'Use `authorization_code` or `refresh_token`.',
  ),
  unsupported_response_type: invalid(
    'There is no such response type.',
    'Leave out `response_type`, or send `code`.',
  ),
  invalid_target: invalid(
    'The resource is not this authorization server.',
    'Leave out `resource`, or send the issuer.',
  ),
} as const satisfies Record<string, ErrorCodeFacts>;
