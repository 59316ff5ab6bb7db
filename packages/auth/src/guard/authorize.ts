import { isExpired, isListed, oauthTypeOf, redact } from '@paymount/core/access';
import { type Environment, PaymountError, type Principal } from '@paymount/core/kernel';
import type { KnownCredential } from './key-cache.ts';
import type { KnownKey } from './known-key.ts';
import { KnownToken } from './known-token.ts';

/** One request's credential, its origin and its time. */
export interface AuthorizationRequest {
  /** The whole credential; messages contain it redacted. */
  readonly credential: string;
  /** The environment of the mount. */
  readonly environment: Environment;
  /** The client's canonical address; undefined if unknown. */
  readonly address: string | undefined;
  /** Business time. */
  readonly now: Date;
}

/**
 * Decides on a record, steps 5 to 8 of the guard's order. Pure: the same rows, address and time
 * give the same answer, so a transaction that moves money only needs to compare versions.
 * @param known the result of the look-up; undefined: no credential has this hash
 * @throws 401 `api_key_invalid`, `api_key_revoked`, `api_key_expired`, `token_revoked`,
 *   `token_expired`, `livemode_mismatch`; 403 `account_disabled`, `ip_not_allowed`
 */
export function authorize(
  known: KnownCredential | undefined,
  request: AuthorizationRequest,
): Principal {
  if (known instanceof KnownToken) return authorizeToken(known, request);
  return authorizeKey(known, request);
}

/** The same for an access token, which works from every address. */
function authorizeToken(token: KnownToken, { credential, environment, now }: AuthorizationRequest) {
  if (token.isRevoked) {
    throw new PaymountError(
      'token_revoked',
      `The token ${redact(credential)} was revoked. Exchange the refresh token; if that fails, ask the merchant to approve again.`,
    );
  }
  if (isExpired(token, now)) {
    throw new PaymountError('token_expired', `The token ${redact(credential)} has expired.`);
  }
  if (token.environment !== environment) throw mismatch(token, { credential, environment });
  if (token.isSuspended) throw new PaymountError('account_disabled');
  return toTokenPrincipal(token);
}

function authorizeKey(key: KnownKey | undefined, request: AuthorizationRequest): Principal {
  const { credential } = request;
  if (key === undefined) {
    const what = oauthTypeOf(credential) === 'access_token' ? 'token' : 'key';
    throw new PaymountError('api_key_invalid', `No such ${what} exists: ${redact(credential)}.`);
  }
  if (key.isRevoked) {
    throw new PaymountError('api_key_revoked', `The key ${redact(credential)} was revoked.`);
  }
  if (isExpired(key, request.now)) {
    throw new PaymountError('api_key_expired', `The key ${redact(credential)} has expired.`);
  }
  if (key.environment !== request.environment) throw mismatch(key, request);
  if (key.isSuspended) throw new PaymountError('account_disabled');
  if (key.allowedIps !== undefined && !isListed(key.allowedIps, request.address)) {
    throw notAllowed(request);
  }
  return toPrincipal(key);
}

function mismatch(
  known: KnownCredential,
  { credential, environment }: Pick<AuthorizationRequest, 'credential' | 'environment'>,
): PaymountError {
  const what = known instanceof KnownToken ? 'token' : 'key';
  return new PaymountError(
    'livemode_mismatch',
    `${redact(credential)} is a ${known.environment} ${what}, but this is the ${environment} environment.`,
  );
}

function toTokenPrincipal(token: KnownToken): Principal {
  const { tokenId, grantId, grantVersion, platformId, platformVersion, accountVersion } = token;
  return {
    kind: 'token',
    platformId,
    grantId,
    snapshot: { tokenId, grantId, grantVersion, platformVersion, accountVersion },
    accountId: token.accountId,
    environment: token.environment,
    scopes: token.scopes,
  };
}

function toPrincipal(key: KnownKey): Principal {
  const { replacedAt, expiresAt } = key;
  const principal = {
    kind: 'key' as const,
    keyType: key.type,
    keyId: key.id,
    snapshot: { keyId: key.id, keyVersion: key.version, accountVersion: key.accountVersion },
    accountId: key.accountId,
    environment: key.environment,
    scopes: key.scopes,
  };
  if (replacedAt === undefined) return principal;
  return {
    ...principal,
    replaced: { at: replacedAt, ...(expiresAt && { worksUntil: expiresAt }) },
  };
}

function notAllowed({ credential, address }: AuthorizationRequest): PaymountError {
  const redacted = redact(credential);
  return new PaymountError(
    'ip_not_allowed',
    address === undefined
      ? `The key ${redacted} may be used only from certain addresses, and the address of this request is unknown.`
      : `The key ${redacted} may not be used from ${address}.`,
  );
}
