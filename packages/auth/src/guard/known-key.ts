import { timingSafeEqual } from 'node:crypto';
import { type Credential, KEY_TYPES, type KeyType } from '@paymount/core/access';
import type { AccountId, Environment, KeyId, Scope } from '@paymount/core/kernel';

/** Combinations of eight scopes. */
const sets = new Map<string, ReadonlySet<Scope>>();
const NO_SCOPES: ReadonlySet<Scope> = new Set();

/**
 * What decides about a key, as it is kept in memory; 100,000 of them stay below 60 MB. So there is
 * no hash, under which it is found anyway, texts that all keys have are shared, and all records have
 * the same fields.
 */
export class KnownKey {
  readonly id: KeyId;
  readonly accountId: AccountId;
  readonly environment: Environment;
  readonly type: KeyType;
  readonly version: number;
  readonly accountVersion: number;
  readonly scopes: ReadonlySet<Scope> | 'all';
  readonly allowedIps: readonly string[] | undefined;
  readonly isRevoked: boolean;
  readonly isSuspended: boolean;
  readonly expiresAt: Date | undefined;
  readonly endedAt: Date | undefined;
  readonly replacedAt: Date | undefined;
  /** Since it was last about to leave the cache. */
  wasUsed = false;

  constructor({ key, accountStatus, accountVersion }: Credential) {
    this.id = key.id;
    this.accountId = key.accountId;
    this.environment = key.environment;
    this.type = KEY_TYPES.find((type) => type === key.type) ?? key.type;
    this.version = key.version;
    this.accountVersion = accountVersion;
    this.scopes = key.type === 'secret' ? 'all' : sharedSet(key.scopes);
    this.allowedIps = key.allowedIps;
    this.isRevoked = key.status === 'revoked';
    this.isSuspended = accountStatus === 'suspended';
    this.expiresAt = key.expiresAt;
    this.endedAt = key.endedAt;
    this.replacedAt = key.replacedAt;
  }
}

/**
 * The record of what a look-up found.
 * @param hash that was looked up, compared once more in a time that tells nothing
 * @returns undefined when no key has it
 */
export function knownKey(
  credential: Credential | undefined,
  hash: Uint8Array,
): KnownKey | undefined {
  if (credential === undefined || !timingSafeEqual(credential.key.hash, hash)) return undefined;
  return new KnownKey(credential);
}

function sharedSet(scopes: readonly Scope[] | undefined): ReadonlySet<Scope> {
  if (scopes === undefined) return NO_SCOPES;
  const name = [...scopes].sort().join(' ');
  const set = sets.get(name) ?? new Set(scopes);
  sets.set(name, set);
  return set;
}
