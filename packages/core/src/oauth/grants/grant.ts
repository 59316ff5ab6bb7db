import type { Owner } from '../../kernel/basics/environment.ts';
import type { Id } from '../../kernel/basics/id.ts';
import type { Scope } from '../../kernel/callers/scope.ts';
import type { PlatformId } from '../platforms/platform.ts';

export type GrantId = Id<'grt'>;

/**
 * `reuse`: a code or a refresh token was used twice, so that somebody else may have it. `expired`: no
 * token can use it any more.
 */
export const GRANT_REVOKED_REASONS = [
  'owner',
  'platform',
  'admin',
  'leak',
  'reuse',
  'expired',
] as const;
export type GrantRevokedReason = (typeof GRANT_REVOKED_REASONS)[number];

export const GRANT_STATUSES = ['pending', 'active', 'revoked'] as const;

/** One approval of a platform by a merchant. All its tokens end with it. */
export interface Grant extends Owner {
  readonly id: GrantId;
  /** Increments with every change of the row. */
  readonly version: number;
  readonly platformId: PlatformId;
  /** The approved scopes; at least one. */
  readonly scopes: readonly Scope[];
  /** `pending`: approved, but its code was not exchanged yet. */
  readonly status: (typeof GRANT_STATUSES)[number];
  readonly revokedAt?: Date;
  readonly revokedReason?: GrantRevokedReason;
  /** The user of the host who approved it. */
  readonly approvedBy: string;
  readonly created: Date;
}

/** A grant after its revocation; a revoked grant is returned unchanged. */
export function revokedGrant(grant: Grant, reason: GrantRevokedReason, now: Date): Grant {
  if (grant.status === 'revoked') return grant;
  const { version } = grant;
  return {
    ...grant,
    version: version + 1,
    status: 'revoked',
    revokedAt: now,
    revokedReason: reason,
  };
}
