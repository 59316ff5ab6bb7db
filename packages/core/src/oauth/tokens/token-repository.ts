import type { Grant, GrantId } from '../grants/grant.ts';
import type {
  AccessToken,
  AccessTokenId,
  AuthorizationCode,
  Consumed,
  RefreshToken,
  RefreshTokenId,
} from './token.ts';

/** The sealed pair of a consumed refresh token, and the key that sealed it. */
export interface ConsumedWrite extends Omit<Consumed, 'sealedPair'> {
  readonly sealedPair: string;
  readonly kid: string;
}

/** Reads without a lock. */
export interface OAuthTokenReader {
  findGrant(id: GrantId): Promise<Grant | undefined>;
  findAccessToken(hash: Uint8Array): Promise<AccessToken | undefined>;
  findRefreshToken(hash: Uint8Array): Promise<RefreshToken | undefined>;
}

/** In one change of access. Locks: code or refresh token, then its grant. */
export interface OAuthTokenRepository extends Omit<OAuthTokenReader, 'findGrant'> {
  /** Locks it: of two exchanges of one code the second sees that it was used. */
  findCodeForUpdate(hash: Uint8Array): Promise<AuthorizationCode | undefined>;
  insertCode(code: AuthorizationCode): Promise<void>;
  useCode(hash: Uint8Array, now: Date): Promise<void>;
  /** @param hash SHA-256 of the whole token */
  insertAccessToken(token: AccessToken, hash: Uint8Array): Promise<void>;
  revokeAccessToken(id: AccessTokenId, now: Date): Promise<void>;
  /** Locks it: of two exchanges of one token the second sees the successor of the first. */
  findRefreshTokenForUpdate(hash: Uint8Array): Promise<RefreshToken | undefined>;
  /** Whether the token was exchanged; also for one that is unknown. */
  isRefreshTokenConsumed(id: RefreshTokenId): Promise<boolean>;
  /** @param hash SHA-256 of the whole token */
  insertRefreshToken(token: RefreshToken, hash: Uint8Array): Promise<void>;
  /** Records the exchange, and erases the sealed pair that contains this token. */
  consumeRefreshToken(id: RefreshTokenId, consumed: ConsumedWrite): Promise<void>;
}

/** What workers do about tokens. */
export interface OAuthTokenQueue {
  /**
   * Looks at active grants in the order of their ids, and finds those that no token can use any more.
   * Two callers may get the same.
   * @param walk after which id, and how many are looked at
   * @returns those, and the last that was looked at if there may be more
   */
  findLapsedGrants(
    now: Date,
    walk: { readonly after: string; readonly limit: number },
  ): Promise<{ readonly lapsed: readonly GrantId[]; readonly last?: GrantId }>;
  /**
   * Deletes interactions an hour after they expired, codes and access tokens a day after they ended,
   * refresh tokens 30 days after they ended or were exchanged, and grants whose code was not exchanged within a day; erases sealed pairs
   * after two minutes.
   * @returns how many rows, at most six times the limit
   */
  purge(now: Date, limit: number): Promise<number>;
}
