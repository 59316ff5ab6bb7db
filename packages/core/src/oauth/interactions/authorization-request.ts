import { findForbiddenText } from '../../access/credentials/forbidden-text.ts';
import type { Environment } from '../../kernel/basics/environment.ts';
import type { Scope } from '../../kernel/callers/scope.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { Platform } from '../platforms/platform.ts';
import { requestedScopes } from '../tokens/requested-scopes.ts';

/** Printable ASCII (RFC 6749, appendix A.5), so that it comes back byte for byte. */
const STATE = /^[\x20-\x7e]{1,1024}$/;
/** The SHA-256 of a verifier, in base64url (RFC 7636, section 4.2). */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/** The parameters of `/oauth/authorize` besides those that say whom to answer; empty ones are absent. */
export interface AuthorizationParameters {
  readonly responseType: string | undefined;
  readonly scope: string | undefined;
  readonly state: string | undefined;
  readonly codeChallenge: string | undefined;
  readonly codeChallengeMethod: string | undefined;
  readonly resource: string | undefined;
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
  if (responseType !== 'code') {
    throw new PaymountError('unsupported_response_type', 'response_type must be code.');
  }
  if (resource !== issuer) throw new PaymountError('invalid_target', `resource must be ${issuer}.`);
  const codeChallenge = checkedChallenge(platform, parameters);
  if (state === undefined && codeChallenge === undefined) {
    throw invalid('state', 'state is required, unless the request uses PKCE.');
  }
  const fault = state === undefined ? undefined : findStateFault(state, platform.environment);
  if (fault !== undefined) throw invalid('state', fault);
  return {
    scopes: requestedScopes(scope, platform.scopes),
    ...(state === undefined ? {} : { state }),
    ...(codeChallenge === undefined ? {} : { codeChallenge }),
  };
}

/**
 * Whether a state may be stored and sent back: printable ASCII without our secrets, and in live
 * without card numbers.
 */
export function isState(state: string, environment: Environment): boolean {
  return findStateFault(state, environment) === undefined;
}

function findStateFault(state: string, environment: Environment): string | undefined {
  if (!STATE.test(state)) return 'state must be 1 to 1,024 printable ASCII characters.';
  switch (findForbiddenText(state, { cards: environment === 'live' })) {
    case 'secret_in_text':
      return 'state holds a key or signing secret; send a random value.';
    case 'raw_card_data_not_allowed':
      return 'state holds a card number, or digits that look like one; send a random value with letters.';
    case undefined:
      return undefined;
  }
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
