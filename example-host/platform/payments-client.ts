import { createHash, randomBytes } from 'node:crypto';

/** What the shop gave the platform when it registered it. */
export interface PlatformSettings {
  /** The shop's authorization server and API. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
}

/** The tokens of one merchant. */
export interface MerchantTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly merchant: string;
  readonly scope: string;
}

/** The parts of a request that its answer must match. */
export interface PendingRequest {
  readonly state: string;
  /** The verifier of PKCE (RFC 7636). */
  readonly verifier: string;
}

const LIMIT_MS = 30_000;

/** A new request. */
export function newRequest(): PendingRequest {
  const random = (): string => randomBytes(32).toString('base64url');
  return { state: random(), verifier: random() };
}

/** Where the browser of a merchant goes to approve the platform. */
export function authorizeUrl(
  { issuer, clientId, redirectUri }: PlatformSettings,
  { state, verifier }: PendingRequest,
): string {
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  return `${issuer}/oauth/authorize?${new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  })}`;
}

/** Exchanges a code. @throws Error with the server's error */
export function exchangeCode(
  settings: PlatformSettings,
  code: string,
  { verifier }: PendingRequest,
): Promise<MerchantTokens> {
  return requestTokens(settings, {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    redirect_uri: settings.redirectUri,
  });
}

/** The merchant, the shop or the platform itself has ended the access. */
export class AccessEnded extends Error {}

/** A new pair. The old refresh token no longer works. @throws AccessEnded; Error as `exchangeCode` */
export function refreshTokens(
  settings: PlatformSettings,
  { refreshToken }: MerchantTokens,
): Promise<MerchantTokens> {
  return requestTokens(settings, { grant_type: 'refresh_token', refresh_token: refreshToken });
}

/** Gives up the access to a merchant. */
export async function revokeTokens(
  settings: PlatformSettings,
  { refreshToken }: MerchantTokens,
): Promise<void> {
  await post(settings, 'revoke', { token: refreshToken });
}

/** Calls the API for a merchant. */
export function callApi(
  { issuer }: PlatformSettings,
  { accessToken }: MerchantTokens,
  path: string,
): Promise<Response> {
  const headers = { authorization: `Bearer ${accessToken}` };
  return fetch(issuer + path, { headers, signal: AbortSignal.timeout(LIMIT_MS) });
}

async function requestTokens(
  settings: PlatformSettings,
  fields: Readonly<Record<string, string>>,
): Promise<MerchantTokens> {
  const answer = await post(settings, 'token', fields);
  const text = (name: string): string => {
    const value = answer[name];
    if (typeof value === 'string') return value;
    throw new Error(`The answer lacks ${name}.`);
  };
  return {
    accessToken: text('access_token'),
    refreshToken: text('refresh_token'),
    merchant: text('merchant_id'),
    scope: text('scope'),
  };
}

async function post(
  { issuer, clientId, clientSecret }: PlatformSettings,
  endpoint: 'token' | 'revoke',
  fields: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, unknown>>> {
  const client = { client_id: clientId, client_secret: clientSecret };
  const response = await fetch(`${issuer}/oauth/${endpoint}`, {
    method: 'POST',
    body: new URLSearchParams({ ...client, ...fields }),
    signal: AbortSignal.timeout(LIMIT_MS),
  });
  const body = await response.text();
  if (!response.ok && body.includes('"invalid_grant"')) throw new AccessEnded(body);
  if (!response.ok) throw new Error(`/oauth/${endpoint} answered ${response.status}: ${body}`);
  const answer: unknown = body === '' ? {} : JSON.parse(body);
  return typeof answer === 'object' && answer !== null ? { ...answer } : {};
}
