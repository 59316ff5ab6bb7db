import { isExpired, isListed, redact } from '@paymount/core/access';
import { type Environment, PaymountError, type Principal } from '@paymount/core/kernel';
import type { KnownKey } from './known-key.ts';

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
 * @param key the result of the look-up; undefined: no key has this hash
 * @throws 401 `api_key_invalid`, `api_key_revoked`, `api_key_expired`, `livemode_mismatch`;
 *   403 `account_disabled`, `ip_not_allowed`
 */
export function authorize(key: KnownKey | undefined, request: AuthorizationRequest): Principal {
  const { credential } = request;
  if (key === undefined) {
    throw new PaymountError('api_key_invalid', `No such key exists: ${redact(credential)}.`);
  }
  if (key.isRevoked) {
    throw new PaymountError('api_key_revoked', `The key ${redact(credential)} was revoked.`);
  }
  if (isExpired(key, request.now)) {
    throw new PaymountError('api_key_expired', `The key ${redact(credential)} has expired.`);
  }
  if (key.environment !== request.environment) {
    throw new PaymountError(
      'livemode_mismatch',
      `${redact(credential)} is a ${key.environment} key, but this is the ${request.environment} environment.`,
    );
  }
  if (key.isSuspended) throw new PaymountError('account_disabled');
  if (key.allowedIps !== undefined && !isListed(key.allowedIps, request.address)) {
    throw notAllowed(request);
  }
  return toPrincipal(key);
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
