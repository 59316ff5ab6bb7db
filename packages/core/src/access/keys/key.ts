import type { Owner } from '../../kernel/basics/environment.ts';
import type { KeyId } from '../../kernel/basics/id.ts';
import type { Scope } from '../../kernel/callers/scope.ts';
import type { KeyType } from '../credentials/key-format.ts';

export const REVOKED_REASONS = ['owner', 'rotation', 'leak', 'admin', 'account'] as const;
export type RevokedReason = (typeof REVOKED_REASONS)[number];

/** A stored key: without the key itself, unless it is publishable. */
export interface Key extends Owner {
  readonly id: KeyId;
  /** Increments with every change of the row. */
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
  /** Set if it was made to expire immediately: from then on it is expired by any clock. */
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
 * Whether a key has expired. A key that was made to expire immediately has expired even in a
 * process with a slow clock: removing access must not depend on a clock.
 */
export function isExpired(
  { expiresAt, endedAt }: { readonly [End in 'expiresAt' | 'endedAt']?: Date | undefined },
  now: Date,
): boolean {
  return endedAt !== undefined || (expiresAt !== undefined && expiresAt <= now);
}

/** The fields of a key that decide about a request, or appear in its answer. */
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

/** The result of a look-up by hash: the key and the other rows that decide about access. */
export interface Credential {
  readonly key: CredentialKey;
  readonly accountStatus: 'active' | 'suspended';
  readonly accountVersion: number;
}
