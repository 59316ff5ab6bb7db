import type { Owner } from '../shared/environment.ts';
import type { KeyId } from '../shared/id.ts';
import type { Scope } from '../shared/scope.ts';

export type KeyType = 'secret' | 'publishable' | 'restricted';

/** A key at rest: never the key itself but of a publishable one. */
export interface Key extends Owner {
  readonly id: KeyId;
  readonly type: KeyType;
  /** 1-100 characters. */
  readonly name: string;
  /** SHA-256 of the whole key. */
  readonly hash: Uint8Array;
  /** Publishable keys only: always shown. */
  readonly publicValue?: string;
  /** Prefix, tag and last four: `sk_live_pm...a1B2`. */
  readonly redacted: string;
  /** Restricted keys only. */
  readonly scopes?: readonly Scope[];
  readonly status: 'active' | 'revoked';
  readonly revokedAt?: Date;
  readonly revokedReason?: 'owner' | 'rotation' | 'leak' | 'admin' | 'account';
  readonly expiresAt?: Date;
  readonly created: Date;
  readonly createdBy: string;
}

/** What a look-up by hash returns: the key and what else decides about access. */
export interface Credential {
  readonly key: Key;
  readonly accountStatus: 'active' | 'suspended';
}
