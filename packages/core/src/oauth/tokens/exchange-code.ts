import { hashCredential } from '../../access/credentials/key-format.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { endGrant } from '../grants/end-grant.ts';
import type { Platform } from '../platforms/platform.ts';
import {
  assertActiveAccount,
  currentScopes,
  type IssuedTokens,
  insertPair,
  mintPair,
} from './issue-tokens.ts';
import { isCodeVerifier } from './pkce.ts';
import type { AuthorizationCode } from './token.ts';
import type { TokenServicePorts } from './token-ports.ts';

/** The parameters of the grant type `authorization_code`. */
export interface CodeExchange {
  readonly code: string;
  readonly redirectUri?: string;
  readonly codeVerifier?: string;
}

/**
 * Exchanges a code for tokens (RFC 6749, section 4.1.3). A wrong guess never uses up a code. A code
 * that its own platform presents twice, with all that belongs to it, may be in other hands, so its
 * grant is revoked (section 4.1.2).
 * @throws PaymountError `invalid_grant`, also for a suspended account
 */
export async function exchangeCode(
  { access, clock, issuerTag, crashPoint }: TokenServicePorts,
  platform: Platform,
  exchange: CodeExchange,
): Promise<IssuedTokens> {
  const pair = mintPair(issuerTag);
  const issued = await access.change(async (rows) => {
    const now = clock.now();
    const code = await rows.tokens.findCodeForUpdate(hashCredential(exchange.code));
    if (code?.platformId !== platform.id) return nothing();
    // Of a public platform, only the verifier proves who asks: a used code is in a browser's history.
    if (!matches(code, exchange, platform)) return nothing();
    if (code.usedAt !== undefined) return endGrant(rows, code.grantId, { reason: 'reuse', now });
    if (code.expiresAt <= now) return nothing();
    const grant = await rows.grants.findForUpdate(code.grantId);
    if (grant?.status !== 'pending') return nothing();
    await assertActiveAccount(rows, grant);
    const active = { ...grant, version: grant.version + 1, status: 'active' } as const;
    await rows.tokens.useCode(code.hash, now);
    await rows.grants.update(active);
    const scopes = currentScopes(grant, platform);
    const { issued: result } = await insertPair(rows, { pair, grant: active, scopes, now });
    crashPoint('exchange.before_commit');
    return { result, subjects: [], audit: [] };
  });
  crashPoint('exchange.after_commit');
  if (issued !== undefined) return issued;
  throw new PaymountError(
    'invalid_grant',
    'The code is unknown, was used or has expired, or redirect_uri or code_verifier is missing or does not match it.',
  );
}

function nothing() {
  return { result: undefined, subjects: [], audit: [] };
}

/** RFC 6749, section 4.1.3: the redirect URI must be the same if the authorization request had one. */
function matches(
  code: AuthorizationCode,
  { redirectUri, codeVerifier }: CodeExchange,
  { redirectUris }: Platform,
): boolean {
  const isSame =
    code.redirectUri === undefined
      ? redirectUri === undefined || redirectUris.includes(redirectUri)
      : redirectUri === code.redirectUri;
  return isSame && isCodeVerifier(codeVerifier, code.codeChallenge);
}
