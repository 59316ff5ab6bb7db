import type { AccessChange } from '../../access/access-change.ts';
import { hashCredential } from '../../access/credentials/key-format.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { endGrant } from '../grants/end-grant.ts';
import type { Grant } from '../grants/grant.ts';
import type { OAuthRepositories } from '../oauth-storage.ts';
import type { Platform } from '../platforms/platform.ts';
import {
  assertActiveAccount,
  currentScopes,
  type IssuedTokens,
  insertPair,
  mintPair,
  refreshExpiry,
} from './issue-tokens.ts';
import { requestedScopes } from './requested-scopes.ts';
import { type Consumed, pairContext, type RefreshToken, type TokenPair } from './token.ts';
import type { TokenServicePorts } from './token-ports.ts';

/** How long a platform whose connection broke gets the same pair again. */
const GRACE_MS = 30_000;

/** The parameters of the grant type `refresh_token`. */
export interface RefreshRequest {
  readonly refreshToken: string;
  /** Space-separated, as sent; absent: all scopes of the grant. */
  readonly scope?: string;
}

/** A pair as it was made, or the sealed one of an exchange moments ago. */
type Outcome =
  | { readonly kind: 'issued'; readonly issued: IssuedTokens }
  | {
      readonly kind: 'repeated';
      readonly token: RefreshToken;
      readonly sealed: string;
      readonly issued: Omit<IssuedTokens, 'pair'>;
    }
  | { readonly kind: 'refused' };

/**
 * Exchanges a refresh token for a new pair (RFC 6749, section 6; RFC 9700, section 4.14.2). Of several
 * callers with one token, one makes the pair, and the others get the same one for 30 seconds, while
 * nobody has used it. A token that comes back otherwise may be in other hands: its grant is revoked.
 * @throws PaymountError `invalid_grant`, also for a suspended account; `invalid_scope` for a scope that the grant does not have
 */
export async function refreshTokens(
  ports: TokenServicePorts,
  platform: Platform,
  request: RefreshRequest,
): Promise<IssuedTokens> {
  const { access, clock, sealer, tokens: reader, issuerTag, crashPoint } = ports;
  const hash = hashCredential(request.refreshToken);
  const seen = await reader.findRefreshToken(hash);
  if (seen === undefined) throw refused();
  const pair = mintPair(issuerTag);
  // Sealing may call a key service, so it comes before the transaction.
  const sealed = await sealer.seal(
    `${pair.accessToken} ${pair.refreshToken}`,
    pairContext(seen.id),
    platform.environment,
  );
  const outcome = await access.change(async (rows): Promise<AccessChange<Outcome>> => {
    const now = clock.now();
    const token = await rows.tokens.findRefreshTokenForUpdate(hash);
    const grant = token && (await rows.grants.findForUpdate(token.grantId));
    if (token === undefined || !isUsable(token, grant, { platform, now })) return refusal();
    await assertActiveAccount(rows, grant);
    if (token.consumed)
      return repeat(rows, { token, grant, platform, request, now }, token.consumed);
    const scopes = requestedScopes(request.scope, currentScopes(grant, platform));
    const { stored, issued } = await insertPair(rows, { pair, grant, scopes, now });
    await rows.tokens.consumeRefreshToken(token.id, {
      at: now,
      successorId: stored.id,
      scope: request.scope ?? '',
      sealedPair: sealed.sealed,
      kid: sealed.kid,
    });
    crashPoint('refresh.before_commit');
    return { result: { kind: 'issued', issued }, subjects: [], audit: [] };
  });
  crashPoint('refresh.after_commit');
  if (outcome.kind === 'refused') throw refused();
  if (outcome.kind === 'issued') return outcome.issued;
  return { ...outcome.issued, pair: await open(ports, outcome) };
}

function isUsable(
  token: RefreshToken,
  grant: Grant | undefined,
  { platform, now }: { readonly platform: Platform; readonly now: Date },
): grant is Grant {
  return grant?.platformId === platform.id && grant.status === 'active' && token.expiresAt > now;
}

interface Repeat {
  readonly token: RefreshToken;
  readonly grant: Grant;
  readonly platform: Platform;
  readonly request: RefreshRequest;
  readonly now: Date;
}

/** The answer to a token that was exchanged before. */
async function repeat(
  rows: OAuthRepositories,
  { token, grant, platform, request, now }: Repeat,
  { at, successorId, scope, sealedPair }: Consumed,
): Promise<AccessChange<Outcome>> {
  const isRepeat =
    sealedPair !== undefined &&
    now.getTime() - at.getTime() <= GRACE_MS &&
    scope === (request.scope ?? '') &&
    !(await rows.tokens.isRefreshTokenConsumed(successorId));
  if (!isRepeat) {
    const ended = await endGrant(rows, grant.id, { reason: 'reuse', now });
    return { ...ended, result: { kind: 'refused' } };
  }
  const scopes = requestedScopes(request.scope, currentScopes(grant, platform));
  const issued = { grant, scopes, refreshExpiresAt: refreshExpiry(grant, at), issuedAt: at };
  return {
    result: { kind: 'repeated', token, sealed: sealedPair, issued },
    subjects: [],
    audit: [],
  };
}

async function open(
  { sealer }: TokenServicePorts,
  { token, sealed }: Extract<Outcome, { kind: 'repeated' }>,
): Promise<TokenPair> {
  const opened = await sealer.open(sealed, pairContext(token.id));
  const [accessToken = '', refreshToken = ''] = opened.split(' ');
  return { accessToken, refreshToken };
}

function refusal(): AccessChange<Outcome> {
  return { result: { kind: 'refused' }, subjects: [], audit: [] };
}

function refused(): PaymountError {
  return new PaymountError(
    'invalid_grant',
    'The refresh token is unknown, was replaced or has expired, or the merchant revoked the approval.',
  );
}
