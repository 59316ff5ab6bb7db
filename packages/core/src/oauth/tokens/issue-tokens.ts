import type { AccountReader } from '../../access/accounts/account-repository.ts';
import { hashCredential, mintOAuth } from '../../access/credentials/key-format.ts';
import { newId } from '../../kernel/basics/id.ts';
import type { Scope } from '../../kernel/callers/scope.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { Grant } from '../grants/grant.ts';
import type { OAuthRepositories } from '../oauth-storage.ts';
import type { Platform } from '../platforms/platform.ts';
import type { RefreshToken, TokenPair } from './token.ts';

export const ACCESS_TOKEN_SECONDS = 3_600;
const DAY_MS = 86_400_000;
/** A refresh token that is not used ends. */
const REFRESH_IDLE_MS = 90 * DAY_MS;
/** Merchants approve again at least once a year. */
const GRANT_LIFE_MS = 365 * DAY_MS;

/** What a token request gets. */
export interface IssuedTokens {
  readonly pair: TokenPair;
  readonly grant: Grant;
  /** Those of the access token. */
  readonly scopes: readonly Scope[];
  readonly refreshExpiresAt: Date;
  /** The time that both lives count from. */
  readonly issuedAt: Date;
}

/** Makes the two tokens themselves. */
export function mintPair(issuerTag?: string): TokenPair {
  return {
    accessToken: mintOAuth('access_token', issuerTag),
    refreshToken: mintOAuth('refresh_token', issuerTag),
  };
}

/** Stores a new pair. @returns the refresh token as stored, and what the platform gets */
export async function insertPair(
  { tokens }: OAuthRepositories,
  {
    pair,
    grant,
    scopes,
    now,
  }: Omit<IssuedTokens, 'refreshExpiresAt' | 'issuedAt'> & { readonly now: Date },
): Promise<{ readonly stored: RefreshToken; readonly issued: IssuedTokens }> {
  const { id: grantId } = grant;
  const expiresAt = refreshExpiry(grant, now);
  await tokens.insertAccessToken(
    {
      id: newId('atk'),
      grantId,
      scopes,
      created: now,
      expiresAt: new Date(now.getTime() + ACCESS_TOKEN_SECONDS * 1_000),
    },
    hashCredential(pair.accessToken),
  );
  const stored = { id: newId('rtk'), grantId, created: now, expiresAt };
  await tokens.insertRefreshToken(stored, hashCredential(pair.refreshToken));
  return { stored, issued: { pair, grant, scopes, refreshExpiresAt: expiresAt, issuedAt: now } };
}

/** When a refresh token that is made now ends: unused for 90 days, or a year after the approval. */
export function refreshExpiry({ created }: Grant, now: Date): Date {
  return new Date(Math.min(now.getTime() + REFRESH_IDLE_MS, created.getTime() + GRANT_LIFE_MS));
}

/**
 * Refuses tokens to the platforms of a suspended account. What they hold is neither used up nor
 * ended: it works again once the account is active.
 * @throws PaymountError `invalid_grant`
 */
export async function assertActiveAccount(
  { accounts }: { readonly accounts: AccountReader },
  { accountId }: Grant,
): Promise<void> {
  const account = await accounts.find(accountId);
  if (account?.status === 'active') return;
  throw new PaymountError('invalid_grant', 'The account of the merchant is suspended.');
}

/** The scopes of a grant that its platform still has. */
export function currentScopes(grant: Grant, platform: Platform): readonly Scope[] {
  return grant.scopes.filter((scope) => platform.scopes.includes(scope));
}
