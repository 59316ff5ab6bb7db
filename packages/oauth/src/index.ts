// OAuth for platforms (RFC 6749): the endpoints that their servers call. It contains no SQL and
// decides nothing about grants and tokens; core does. Errors have the form of RFC 6749. Start at
// `oauth-api.ts`.
export { METADATA_PATH, metadataPath, metadataResponse } from './metadata.ts';
export type { OAuthApi, OAuthPorts, OAuthRequest } from './oauth-api.ts';
export { createOAuthApi, OAUTH_PATH } from './oauth-api.ts';
export { renderOAuthError } from './render-oauth-error.ts';
