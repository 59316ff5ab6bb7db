import type { Owner } from '../../kernel/basics/environment.ts';
import type { KeyId } from '../../kernel/basics/id.ts';
import type { Scope } from '../../kernel/callers/scope.ts';

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
  /** When it was made to expire at once: from then on no clock is asked about it. */
  readonly endedAt?: Date;
  /** The key whose successor this is. */
  readonly replaces?: KeyId;
  readonly replacedBy?: KeyId;
  /** When it was replaced; its answers carry `Deprecation` from then on. */
  readonly replacedAt?: Date;
  readonly created: Date;
  readonly createdBy: string;
}

/**
 * Whether a key has come to its end. One that was made to expire at once has, also in a process
 * whose clock is behind: taking access away must not wait for a date.
 */
export function isExpired(
  { expiresAt, endedAt }: { readonly [End in 'expiresAt' | 'endedAt']?: Date | undefined },
  now: Date,
): boolean {
  return endedAt !== undefined || (expiresAt !== undefined && expiresAt <= now);
}

/** What of a key decides about a request, or shows in its answer. */
export type CredentialKey = Pick<
  Key,
  | 'id'
  | 'accountId'
  | 'environment'
  | 'version'
  | 'type'
  | 'hash'
  | 'scopes'
  | 'allowedIps'
  | 'status'
  | 'expiresAt'
  | 'endedAt'
  | 'replacedAt'
>;

/** What a look-up by hash returns: the key and what else decides about access. */
export interface Credential {
  readonly key: CredentialKey;
  readonly accountStatus: 'active' | 'suspended';
  readonly accountVersion: number;
}
