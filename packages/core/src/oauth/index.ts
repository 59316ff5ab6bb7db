// OAuth for platforms: the platforms that merchants let act for them.
// It imports the kernel, changes and access. Start at `platforms/platform-service.ts`, then
// `grants/grant-service.ts` and `tokens/token-service.ts`.

export {
  type ConnectedApplication,
  ConnectedApplicationResource,
} from './grants/connected-application.ts';
export { ConnectedApplications } from './grants/connected-applications.ts';
export { GRANT_STATUSES, type Grant, type GrantId } from './grants/grant.ts';
export type {
  ConnectedApplicationReader,
  GrantDirectory,
  GrantRepository,
} from './grants/grant-repository.ts';
export { GrantResource, toGrantResource } from './grants/grant-resource.ts';
export { createGrantService, type GrantService } from './grants/grant-service.ts';
export {
  type AuthorizationParameters,
  authorizationRequest,
  isState,
} from './interactions/authorization-request.ts';
export {
  type Interaction,
  type InteractionId,
  type InteractionUser,
  isSameHash,
} from './interactions/interaction.ts';
export type {
  InteractionRepository,
  OpenInteractionRepository,
} from './interactions/interaction-repository.ts';
export {
  createInteractionService,
  type InteractionService,
} from './interactions/interaction-service.ts';
export { registeredRedirectUri } from './interactions/registered-redirect-uri.ts';
export { withOAuthLeaks } from './leaks/oauth-leaks.ts';
export type { OAuthRepositories } from './oauth-storage.ts';
export type { NewPlatform, PlatformEdit, PlatformSettings } from './platforms/new-platform.ts';
export {
  type ClientSecret,
  type ClientSecretId,
  PLATFORM_STATUSES,
  PLATFORM_TYPES,
  type Platform,
  type PlatformId,
  type PlatformType,
} from './platforms/platform.ts';
export {
  type ClientSecretRevoke,
  ClientSecretRevokeInput,
  type PlatformCreate,
  PlatformCreateInput,
  type PlatformUpdate,
  PlatformUpdateInput,
} from './platforms/platform-input.ts';
export type {
  ClientSecretReader,
  PlatformDirectory,
  PlatformReader,
  PlatformRepository,
} from './platforms/platform-repository.ts';
export {
  type PlatformJson,
  PlatformResource,
  toPlatformResource,
} from './platforms/platform-resource.ts';
export {
  createPlatformService,
  type PlatformService,
  type PlatformWithSecret,
} from './platforms/platform-service.ts';
export { expireGrants } from './tokens/expire-grants.ts';
export { ACCESS_TOKEN_SECONDS, type IssuedTokens } from './tokens/issue-tokens.ts';
export {
  type AccessToken,
  type AccessTokenId,
  type AuthorizationCode,
  pairContext,
  type RefreshToken,
  type RefreshTokenId,
} from './tokens/token.ts';
export type {
  OAuthTokenQueue,
  OAuthTokenReader,
  OAuthTokenRepository,
} from './tokens/token-repository.ts';
export { createTokenService, type TokenService } from './tokens/token-service.ts';
