import type { RouteResponse } from '@paymount/http';
import { redirect, type Site } from './site.ts';

/** The parameters of a response, besides the issuer. */
interface AuthorizationResponse {
  readonly code?: string;
  readonly error?: string;
  readonly error_description?: string;
  readonly state?: string;
}

/**
 * The response to an authorization request (RFC 6749, section 4.1.2). It names the issuer, so that a
 * platform with several servers knows which one answered (RFC 9207).
 * @param redirectUri a registered one; its own query stays as it is
 */
export function redirectToPlatform(
  { issuer }: Pick<Site, 'issuer'>,
  redirectUri: string,
  response: AuthorizationResponse,
): RouteResponse {
  const parameters = new URLSearchParams({ ...response, iss: issuer });
  return redirect(`${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${parameters}`);
}
