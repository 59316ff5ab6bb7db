import { hashCredential, oauthTypeOf } from '../../access/credentials/key-format.ts';
import type { AuditContext } from '../../kernel/callers/audit-context.ts';
import type { Scope } from '../../kernel/callers/scope.ts';
import { endGrant } from '../grants/end-grant.ts';
import type { Grant } from '../grants/grant.ts';
import type { Platform } from '../platforms/platform.ts';
import { type CodeExchange, exchangeCode } from './exchange-code.ts';
import { currentScopes, type IssuedTokens } from './issue-tokens.ts';
import { type RefreshRequest, refreshTokens } from './refresh-tokens.ts';
import type { TokenServicePorts } from './token-ports.ts';

/** What a platform may know of one of its tokens that works (RFC 7662, section 2.2). */
export interface ActiveToken {
  readonly kind: 'access_token' | 'refresh_token';
  readonly grant: Grant;
  readonly scopes: readonly Scope[];
  readonly created: Date;
  readonly expiresAt: Date;
}

/** The tokens of a platform that has authenticated. */
export interface TokenService {
  /** @throws PaymountError `invalid_grant` */
  exchange(platform: Platform, exchange: CodeExchange): Promise<IssuedTokens>;
  /** @throws PaymountError `invalid_grant`, `invalid_scope` */
  refresh(platform: Platform, request: RefreshRequest): Promise<IssuedTokens>;
  /**
   * Ends a token everywhere within 500 ms (RFC 7009): a refresh token ends with its grant and all of
   * its tokens. A token that is unknown or of another platform changes nothing.
   * @param by the caller, for the audit row
   */
  revoke(platform: Platform, token: string, by: AuditContext): Promise<void>;
  /** @returns undefined for a token that does not work, is unknown, or of another platform */
  introspect(platform: Platform, token: string): Promise<ActiveToken | undefined>;
}

/** Makes the service of one process. */
export function createTokenService(ports: TokenServicePorts): TokenService {
  return {
    exchange: (platform, exchange) => exchangeCode(ports, platform, exchange),
    refresh: (platform, request) => refreshTokens(ports, platform, request),
    revoke: (platform, token, by) => revoke(ports, platform, { token, by }),
    introspect: (platform, token) => introspect(ports, platform, token),
  };
}

async function revoke(
  { access, clock }: TokenServicePorts,
  platform: Platform,
  { token, by }: { readonly token: string; readonly by: AuditContext },
): Promise<void> {
  const kind = oauthTypeOf(token);
  if (kind !== 'access_token' && kind !== 'refresh_token') return;
  const hash = hashCredential(token);
  await access.change(async (rows) => {
    const now = clock.now();
    const none = { result: undefined, subjects: [], audit: [] };
    if (kind === 'refresh_token') {
      const found = await rows.tokens.findRefreshTokenForUpdate(hash);
      const grant = found && (await rows.grants.findForUpdate(found.grantId));
      if (grant?.platformId !== platform.id) return none;
      return endGrant(rows, grant.id, { reason: 'platform', now, by });
    }
    const found = await rows.tokens.findAccessToken(hash);
    const grant = found && (await rows.grants.findForUpdate(found.grantId));
    if (found === undefined || found.revokedAt !== undefined) return none;
    if (grant?.platformId !== platform.id) return none;
    await rows.tokens.revokeAccessToken(found.id, now);
    return { ...none, subjects: [found.id] };
  });
}

async function introspect(
  { tokens, accounts, clock }: TokenServicePorts,
  platform: Platform,
  token: string,
): Promise<ActiveToken | undefined> {
  const kind = oauthTypeOf(token);
  if (kind !== 'access_token' && kind !== 'refresh_token') return undefined;
  const hash = hashCredential(token);
  const now = clock.now();
  const found =
    kind === 'access_token'
      ? await tokens.findAccessToken(hash)
      : await tokens.findRefreshToken(hash);
  const grant = found && (await tokens.findGrant(found.grantId));
  if (found === undefined || grant?.platformId !== platform.id) return undefined;
  const isEnded = 'revokedAt' in found || 'consumed' in found || found.expiresAt <= now;
  if (isEnded || grant.status !== 'active') return undefined;
  if ((await accounts.find(grant.accountId))?.status !== 'active') return undefined;
  const current = currentScopes(grant, platform);
  const scopes =
    'scopes' in found ? found.scopes.filter((scope) => current.includes(scope)) : current;
  const { created, expiresAt } = found;
  return { kind, grant, scopes, created, expiresAt };
}
