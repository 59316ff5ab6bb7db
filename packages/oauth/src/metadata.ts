import { SCOPES } from '@paymount/core/kernel';
import type { RouteResponse } from '@paymount/http';

/** The path of the metadata below an issuer, or, before its path, below its host (RFC 8414, section 3). */
export const METADATA_PATH = '/.well-known/oauth-authorization-server';

/** Clients may keep it this long: it changes with a release only. */
const KEPT_SECONDS = 3_600;
/** How confidential platforms authenticate. */
const CONFIDENTIAL = ['client_secret_basic', 'client_secret_post'] as const;

/**
 * The metadata of an authorization server (RFC 8414, section 2).
 * @param issuer its identifier, the public URL of the mount without a slash at its end
 */
export function metadataResponse(issuer: string): RouteResponse {
  const anyPlatform = [...CONFIDENTIAL, 'none'];
  const metadata = {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    introspection_endpoint: `${issuer}/oauth/introspect`,
    scopes_supported: SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: anyPlatform,
    revocation_endpoint_auth_methods_supported: anyPlatform,
    introspection_endpoint_auth_methods_supported: CONFIDENTIAL,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  };
  return {
    status: 200,
    body: JSON.stringify(metadata),
    headers: { 'Cache-Control': `public, max-age=${KEPT_SECONDS}` },
  };
}

/** The path below its host at which clients ask for the metadata of an issuer (RFC 8414, section 3.1). */
export function metadataPath(issuer: string): string {
  const { pathname } = new URL(issuer);
  return pathname === '/' ? METADATA_PATH : METADATA_PATH + pathname;
}
