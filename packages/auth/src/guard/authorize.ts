import { timingSafeEqual } from 'node:crypto';
import {
  type Credential,
  type Environment,
  type Key,
  PaymountError,
  type Principal,
  type Scope,
} from '@paymount/core';
import { isListed } from '../addresses/address-list.ts';

/** One request's claim: the credential it presented, where, and when. */
export interface Claim {
  /** SHA-256 of the presented key. */
  readonly hash: Uint8Array;
  /** What messages may echo of it. */
  readonly redacted: string;
  /** The environment of the mount. */
  readonly environment: Environment;
  /** Of the client, canonical; undefined when it could not be told. */
  readonly address: string | undefined;
  /** Business time. */
  readonly now: Date;
}

const NO_HASH = new Uint8Array(32);
const NO_SCOPES: ReadonlySet<Scope> = new Set();

/**
 * Decides on a record, steps 5 to 8 of the guard's order. Pure: the same rows, address and time
 * give the same answer, which is why a transaction that moves money only compares versions.
 * @param record what the look-up found; unknown, revoked and expired take one path
 * @throws 401 `api_key_invalid`, `api_key_revoked`, `api_key_expired`, `livemode_mismatch`;
 *   403 `account_disabled`, `ip_not_allowed`
 */
export function authorize(record: Credential | undefined, claim: Claim): Principal {
  const matches = timingSafeEqual(record?.key.hash ?? NO_HASH, claim.hash);
  if (record === undefined || !matches) {
    throw new PaymountError('api_key_invalid', `No such key exists: ${claim.redacted}.`);
  }
  const { key, accountStatus, accountVersion } = record;
  if (key.status === 'revoked') {
    throw new PaymountError('api_key_revoked', `The key ${key.redacted} was revoked.`);
  }
  if (key.expiresAt !== undefined && key.expiresAt <= claim.now) {
    throw new PaymountError('api_key_expired', `The key ${key.redacted} has expired.`);
  }
  if (key.environment !== claim.environment) {
    throw new PaymountError(
      'livemode_mismatch',
      `${key.redacted} is a ${key.environment} key, but this is the ${claim.environment} environment.`,
    );
  }
  if (accountStatus === 'suspended') throw new PaymountError('account_disabled');
  if (key.allowedIps !== undefined && !isListed(key.allowedIps, claim.address)) {
    throw notAllowed(key, claim.address);
  }
  return principalOf(key, accountVersion);
}

function principalOf(key: Key, accountVersion: number): Principal {
  return {
    kind: 'key',
    keyType: key.type,
    keyId: key.id,
    standing: { keyId: key.id, keyVersion: key.version, accountVersion },
    accountId: key.accountId,
    environment: key.environment,
    scopes: scopesOf(key),
    ...(key.replacedAt && {
      replaced: { at: key.replacedAt, ...(key.expiresAt && { worksUntil: key.expiresAt }) },
    }),
  };
}

function notAllowed({ redacted }: Key, address: string | undefined): PaymountError {
  return new PaymountError(
    'ip_not_allowed',
    address === undefined
      ? `The key ${redacted} has a list of addresses, and yours could not be told.`
      : `The key ${redacted} may not be used from ${address}.`,
  );
}

function scopesOf(key: Key): ReadonlySet<Scope> | 'all' {
  if (key.type === 'secret') return 'all';
  return key.scopes === undefined ? NO_SCOPES : new Set(key.scopes);
}
