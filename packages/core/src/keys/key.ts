import type { Owner } from '../shared/environment.ts';
import type { KeyId } from '../shared/id.ts';
import type { Scope } from '../shared/scope.ts';

export const KEY_TYPES = ['secret', 'publishable', 'restricted'] as const;
export type KeyType = (typeof KEY_TYPES)[number];

export const REVOKED_REASONS = ['owner', 'rotation', 'leak', 'admin', 'account'] as const;
export type RevokedReason = (typeof REVOKED_REASONS)[number];

/** A key at rest: never the key itself but of a publishable one. */
export interface Key extends Owner {
  readonly id: KeyId;
  /** Rises with every change of the row. */
  readonly version: number;
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
  /** Secret and restricted keys: 1-100 canonical CIDR ranges. Absent: any address. */
  readonly allowedIps?: readonly string[];
  readonly status: 'active' | 'revoked';
  readonly revokedAt?: Date;
  readonly revokedReason?: RevokedReason;
  readonly expiresAt?: Date;
  /** The key whose successor this is. */
  readonly replaces?: KeyId;
  readonly replacedBy?: KeyId;
  /** When it was replaced; its answers carry `Deprecation` from then on. */
  readonly replacedAt?: Date;
  readonly created: Date;
  readonly createdBy: string;
}

/** What a look-up by hash returns: the key and what else decides about access. */
export interface Credential {
  readonly key: Key;
  readonly accountStatus: 'active' | 'suspended';
  readonly accountVersion: number;
}
