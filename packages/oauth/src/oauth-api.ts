import type { AuditContext, Environment } from '@paymount/core/kernel';
import { livemode, PaymountError, parseId } from '@paymount/core/kernel';
import type { GrantService, IssuedTokens, Platform, TokenService } from '@paymount/core/oauth';
import { ACCESS_TOKEN_SECONDS } from '@paymount/core/oauth';
import type { RouteResponse } from '@paymount/http';
import { authenticateClient, type ClientAuthenticationPorts } from './client-authentication.ts';
import { optional, type Parameters, required } from './parameters.ts';

/** The path of all endpoints, below the mount. */
export const OAUTH_PATH = '/oauth';

export interface OAuthPorts extends ClientAuthenticationPorts {
  readonly tokens: TokenService;
  readonly grants: Pick<GrantService, 'revokeAll'>;
}

/** A POST of a platform's server. */
export interface OAuthRequest {
  readonly environment: Environment;
  /** The identifier of this authorization server (RFC 8414). */
  readonly issuer: string;
  readonly authorization?: string;
  /** Of the body, never of the query, which logs contain. */
  readonly parameters: Parameters;
  /** The source of the request, for audit rows. */
  readonly origin: Pick<AuditContext, 'ip' | 'userAgent' | 'requestId'>;
}

/** The endpoints without their mount. */
export interface OAuthApi {
  /** The paths that it answers, below the mount; each takes POST. */
  readonly paths: readonly string[];
  /** Authenticates the platform, whose limit the mount then counts. @throws PaymountError `invalid_client`, `invalid_request` */
  authenticate(request: OAuthRequest): Promise<Platform>;
  /** @throws PaymountError for every refusal; any other error is a bug */
  handle(path: string, request: OAuthRequest, platform: Platform): Promise<RouteResponse>;
}

type Handler = (request: OAuthRequest, platform: Platform) => Promise<object | undefined>;

/** Makes the endpoints of one process. */
export function createOAuthApi(ports: OAuthPorts): OAuthApi {
  const handlers = new Map<string, Handler>([
    ['/oauth/token', (request, platform) => issue(ports, request, platform)],
    ['/oauth/revoke', (request, platform) => revoke(ports, request, platform)],
    ['/oauth/introspect', (request, platform) => introspect(ports, request, platform)],
    ['/oauth/deauthorize', (request, platform) => deauthorize(ports, request, platform)],
  ]);
  return {
    paths: [...handlers.keys()],
    authenticate: ({ environment, ...request }) => authenticateClient(ports, environment, request),
    async handle(path, request, platform) {
      const handle = handlers.get(path);
      if (handle === undefined) throw new PaymountError('route_missing');
      const body = await handle(request, platform);
      return { status: 200, body: body === undefined ? '' : JSON.stringify(body) };
    },
  };
}

/** The token endpoint (specification: Endpoints; RFC 6749, section 3.2). */
async function issue(
  { tokens }: OAuthPorts,
  { parameters }: OAuthRequest,
  platform: Platform,
): Promise<object> {
  const type = required(parameters, 'grant_type');
  if (type === 'authorization_code') {
    const redirectUri = optional(parameters, 'redirect_uri');
    const codeVerifier = optional(parameters, 'code_verifier');
    const issued = await tokens.exchange(platform, {
      code: required(parameters, 'code'),
      ...(redirectUri === undefined ? {} : { redirectUri }),
      ...(codeVerifier === undefined ? {} : { codeVerifier }),
    });
    return toTokenResponse(issued);
  }
  if (type !== 'refresh_token') {
    const message = 'grant_type must be authorization_code or refresh_token.';
    throw new PaymountError('unsupported_grant_type', message);
  }
  const scope = optional(parameters, 'scope');
  const issued = await tokens.refresh(platform, {
    refreshToken: required(parameters, 'refresh_token'),
    ...(scope === undefined ? {} : { scope }),
  });
  return toTokenResponse(issued);
}

function toTokenResponse({
  pair,
  grant,
  scopes,
  refreshExpiresAt,
  issuedAt,
}: IssuedTokens): object {
  const refreshMs = refreshExpiresAt.getTime() - issuedAt.getTime();
  return {
    access_token: pair.accessToken,
    token_type: 'bearer',
    expires_in: ACCESS_TOKEN_SECONDS,
    refresh_token: pair.refreshToken,
    refresh_token_expires_in: Math.floor(refreshMs / 1_000),
    scope: scopes.join(' '),
    merchant_id: grant.accountId,
    livemode: livemode(grant.environment),
  };
}

/** RFC 7009: the response is the same for tokens that work, that ended, and that never were. */
async function revoke(
  { tokens }: OAuthPorts,
  { parameters, origin }: OAuthRequest,
  platform: Platform,
): Promise<undefined> {
  await tokens.revoke(platform, required(parameters, 'token'), auditContext(platform, origin));
}

/** RFC 7662, for the platform's own tokens. */
async function introspect(
  { tokens }: OAuthPorts,
  { parameters, issuer }: OAuthRequest,
  platform: Platform,
): Promise<object> {
  requireConfidential(platform, 'Only confidential platforms may introspect tokens.');
  const found = await tokens.introspect(platform, required(parameters, 'token'));
  if (found === undefined) return { active: false };
  const { kind, grant, scopes, created, expiresAt } = found;
  return {
    active: true,
    scope: scopes.join(' '),
    client_id: platform.id,
    ...(kind === 'access_token' && { token_type: 'bearer' }),
    exp: Math.floor(expiresAt.getTime() / 1_000),
    iat: Math.floor(created.getTime() / 1_000),
    sub: grant.accountId,
    iss: issuer,
    livemode: livemode(grant.environment),
  };
}

/** For Stripe's SDKs: a platform gives up its access to one account. */
async function deauthorize(
  { grants }: OAuthPorts,
  { parameters, environment, origin }: OAuthRequest,
  platform: Platform,
): Promise<object> {
  requireConfidential(
    platform,
    'Only confidential platforms may name an account; a public one ends its access with its refresh token at /oauth/revoke.',
  );
  const account = required(parameters, 'stripe_user_id');
  const accountId = parseId('acct', account);
  const owner = accountId && { accountId, environment };
  const by = auditContext(platform, origin);
  const revoked = owner
    ? await grants.revokeAll(owner, platform.id, { reason: 'platform', by })
    : 0;
  if (revoked > 0) return { stripe_user_id: account };
  throw new PaymountError('invalid_request', 'This platform has no access to the account.', {
    param: 'stripe_user_id',
  });
}

/**
 * Anybody can send the id of a public platform, so such a request proves nothing. A public platform
 * may only do what a code or a token in the request proves.
 * @throws PaymountError `invalid_client`
 */
function requireConfidential({ type }: Platform, message: string): void {
  if (type === 'public') throw new PaymountError('invalid_client', message);
}

function auditContext({ id }: Platform, origin: OAuthRequest['origin']): AuditContext {
  return { actor: { type: 'platform', id }, via: 'client', ...origin };
}
