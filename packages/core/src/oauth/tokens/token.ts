import type { Id } from '../../kernel/basics/id.ts';
import type { Scope } from '../../kernel/callers/scope.ts';
import type { GrantId } from '../grants/grant.ts';
import type { PlatformId } from '../platforms/platform.ts';

export type AccessTokenId = Id<'atk'>;
export type RefreshTokenId = Id<'rtk'>;

/** An approval that the platform has not collected yet; without the code itself. */
export interface AuthorizationCode {
  /** SHA-256 of the code. */
  readonly hash: Uint8Array;
  readonly grantId: GrantId;
  readonly platformId: PlatformId;
  /** As the authorization request sent it; absent if it sent none. */
  readonly redirectUri?: string;
  /** The S256 challenge of PKCE (RFC 7636), if the request had one. */
  readonly codeChallenge?: string;
  readonly created: Date;
  readonly expiresAt: Date;
  readonly usedAt?: Date;
}

/** An access token as stored: without the token itself. */
export interface AccessToken {
  readonly id: AccessTokenId;
  readonly grantId: GrantId;
  /** Those of the grant, or fewer. */
  readonly scopes: readonly Scope[];
  readonly created: Date;
  readonly expiresAt: Date;
  readonly revokedAt?: Date;
}

/** A refresh token as stored: without the token itself. */
export interface RefreshToken {
  readonly id: RefreshTokenId;
  readonly grantId: GrantId;
  readonly created: Date;
  readonly expiresAt: Date;
  /** Set once it was exchanged for its successor. */
  readonly consumed?: Consumed;
}

/** The exchange of a refresh token. */
export interface Consumed {
  readonly at: Date;
  readonly successorId: RefreshTokenId;
  /** The scope that was sent, so that only the same request gets the same answer. */
  readonly scope: string;
  /** The sealed pair; absent once it was erased. */
  readonly sealedPair?: string;
}

/** The two tokens themselves, shown once. */
export interface TokenPair {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** The context of a sealed pair: it opens only in its own row. */
export function pairContext(id: string): string {
  return `refresh_tokens.sealed_pair:${id}`;
}
