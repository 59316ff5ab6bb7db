import { timingSafeEqual } from 'node:crypto';
import { type Credential, KEY_TYPES, type KeyType } from '@paymount/core/access';
import type { AccountId, Environment, KeyId, Scope } from '@paymount/core/kernel';

/** Combinations of eight scopes. */
const sets = new Map<string, ReadonlySet<Scope>>();
const NO_SCOPES: ReadonlySet<Scope> = new Set();

/**
 * The cached fields of a key; 100,000 of them need less than 60 MB. So there is no hash, which is
 * the map's key anyway, common texts are shared, and all records have the same fields.
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
  /** Used since its last check for eviction. */
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
 * The record of a look-up's result.
 * @param hash that was looked up, compared again in constant time
 * @returns undefined if no key has it
 */
export function knownKey(
  credential: Credential | undefined,
  hash: Uint8Array,
): KnownKey | undefined {
  if (credential === undefined || !timingSafeEqual(credential.key.hash, hash)) return undefined;
  return new KnownKey(credential);
}

/** One set for each combination of scopes. */
export function sharedSet(scopes: readonly Scope[] | undefined): ReadonlySet<Scope> {
  if (scopes === undefined) return NO_SCOPES;
  const name = [...scopes].sort().join(' ');
  const set = sets.get(name) ?? new Set(scopes);
  sets.set(name, set);
  return set;
}
