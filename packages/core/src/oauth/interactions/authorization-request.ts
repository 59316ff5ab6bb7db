import type { Scope } from '../../kernel/callers/scope.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { Platform } from '../platforms/platform.ts';
import { requestedScopes } from '../tokens/requested-scopes.ts';

const MAX_STATE = 1_024;
/** The SHA-256 of a verifier, in base64url (RFC 7636, section 4.2). */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/** The parameters of `/oauth/authorize` besides those that say whom to answer; empty ones are absent. */
export interface AuthorizationParameters {
  readonly responseType?: string;
  readonly scope?: string;
  readonly state?: string;
  readonly codeChallenge?: string;
  readonly codeChallengeMethod?: string;
  readonly resource?: string;
}

/** What a platform asks a merchant for. */
export interface AuthorizationRequest {
  readonly scopes: readonly Scope[];
  readonly state?: string;
  readonly codeChallenge?: string;
}

/**
 * Checks what a known platform asks for; the errors are sent to its redirect URI.
 * @throws PaymountError `invalid_request`, `invalid_scope`, `unsupported_response_type`,
 *   `invalid_target`
 */
export function authorizationRequest(
  platform: Platform,
  issuer: string,
  parameters: AuthorizationParameters,
): AuthorizationRequest {
  const { responseType = 'code', resource = issuer, scope, state } = parameters;
  if (responseType !== 'code') throw new PaymountError('unsupported_response_type');
  if (resource !== issuer) throw new PaymountError('invalid_target', `resource must be ${issuer}.`);
  const codeChallenge = checkedChallenge(platform, parameters);
  if (state === undefined && codeChallenge === undefined) {
    throw invalid('state', 'state is required, unless the request uses PKCE.');
  }
  if (state !== undefined && state.length > MAX_STATE) {
    throw invalid('state', `state has at most ${MAX_STATE} characters.`);
  }
  return {
    scopes: requestedScopes(scope, platform.scopes),
    ...(state === undefined ? {} : { state }),
    ...(codeChallenge === undefined ? {} : { codeChallenge }),
  };
}

function checkedChallenge(
  { requirePkce }: Platform,
  { codeChallenge, codeChallengeMethod }: AuthorizationParameters,
): string | undefined {
  if (codeChallenge === undefined && codeChallengeMethod === undefined) {
    if (!requirePkce) return undefined;
    throw invalid('code_challenge', 'This platform must use PKCE: code_challenge is required.');
  }
  if (codeChallengeMethod !== 'S256') {
    throw invalid('code_challenge_method', 'code_challenge_method must be S256.');
  }
  if (codeChallenge !== undefined && CHALLENGE.test(codeChallenge)) return codeChallenge;
  throw invalid('code_challenge', 'code_challenge must have 43 base64url characters.');
}

function invalid(param: string, message: string): PaymountError {
  return new PaymountError('invalid_request', message, { param });
}
