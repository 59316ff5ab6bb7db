// OAuth for platforms (RFC 6749): the endpoints that their servers call, whose errors have the form
// of RFC 6749, and the pages on which users of the host approve platforms. It contains no SQL and
// decides nothing about grants and tokens; core does. Start at `oauth-api.ts` and
// `pages/oauth-pages.ts`.
export { METADATA_PATH, metadataPath, metadataResponse } from './metadata.ts';
export type { OAuthApi, OAuthPorts, OAuthRequest } from './oauth-api.ts';
export { createOAuthApi, OAUTH_PATH } from './oauth-api.ts';
export type { AppearanceOptions } from './pages/appearance.ts';
export { createAppearance } from './pages/appearance.ts';
export type { OAuthPage, OAuthPages } from './pages/oauth-pages.ts';
export { createOAuthPages } from './pages/oauth-pages.ts';
export type { BrowserRequest } from './pages/site.ts';
export type { PageTexts } from './pages/texts/page-texts.ts';
export { renderOAuthError } from './render-oauth-error.ts';
