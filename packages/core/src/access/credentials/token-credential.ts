import type { Owner } from '../../kernel/basics/environment.ts';
import type { Id } from '../../kernel/basics/id.ts';
import type { Scope } from '../../kernel/callers/scope.ts';

/**
 * The result of a look-up of an access token by its hash: the fields of the token, its grant, its
 * platform and its account that decide about a request.
 */
export interface TokenCredential extends Owner {
  readonly tokenId: Id<'atk'>;
  readonly grantId: Id<'grt'>;
  readonly platformId: Id<'ca'>;
  /** SHA-256 of the whole token. */
  readonly hash: Uint8Array;
  /** Those of the token that its platform still has. */
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date;
  /** Whether the token or its grant was revoked, or its platform is disabled. */
  readonly isRevoked: boolean;
  readonly grantVersion: number;
  readonly platformVersion: number;
  readonly accountStatus: 'active' | 'suspended';
  readonly accountVersion: number;
}
