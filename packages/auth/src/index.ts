// Credential to principal: the format of keys, the guard with its lease-fenced cache, the
// decision about a route, and the sealing of secrets that must be read back.
// It knows no routes and no SQL; the rows come through core's `CredentialReader` and `AccessStore`.
// Start at `guard/authenticate.ts`, then `guard/epoch-sync.ts`: why a revoked key is refused in 500 ms.

export { canonicalAddress } from './addresses/address.ts';
export { ClientAddresses } from './addresses/client-address.ts';
export type { SuggestedRange } from './addresses/suggest-ranges.ts';
export { suggestRanges } from './addresses/suggest-ranges.ts';
export type { Admin, AdminFacts, Authenticator } from './admins/admin.ts';
export { assertAdmin, CredentialMissing } from './admins/admin.ts';
export { refuseKeys } from './admins/bearer-token.ts';
export { allOf, anyOf } from './admins/combined-admin.ts';
export type { HostSession, HostSessionOptions } from './admins/host-session-admin.ts';
export { hostSessionAdmin } from './admins/host-session-admin.ts';
export type { JwtAdminOptions } from './admins/jwt-admin.ts';
export { jwtAdmin } from './admins/jwt-admin.ts';
export type { MtlsAdminOptions } from './admins/mtls-admin.ts';
export { mtlsAdmin } from './admins/mtls-admin.ts';
export { assertOrigins, isForeignPage, refuseForeignOrigin } from './admins/own-origins.ts';
export type { AuthenticateOptions, Guard, GuardPorts, GuardRequest } from './guard/authenticate.ts';
export { createGuard } from './guard/authenticate.ts';
export type { RouteAccess } from './guard/authorize-route.ts';
export { authorizeRoute } from './guard/authorize-route.ts';
export { challengeOf } from './guard/challenge.ts';
export type { AccountEdit, AccountService, NewAccount } from './keys/account-service.ts';
export { createAccountService } from './keys/account-service.ts';
export type { Caller } from './keys/caller.ts';
export { hostActor } from './keys/caller.ts';
export type { MadeKey } from './keys/key-change.ts';
export type { KeyEdit } from './keys/key-edit.ts';
export { holdsCredential, mintKey } from './keys/key-format.ts';
export type { Rotation } from './keys/key-rotation.ts';
export type { KeyService } from './keys/key-service.ts';
export { createKeyService } from './keys/key-service.ts';
export type { KeySights } from './keys/key-sights.ts';
export { keySights } from './keys/key-sights.ts';
export type { NewKey } from './keys/new-key.ts';
export { OwnKeys } from './keys/own-keys.ts';
export type { FoundCredential } from './leaks/find-credentials.ts';
export {
  findCredentials,
  LONGEST_CREDENTIAL,
  redactCredentials,
} from './leaks/find-credentials.ts';
export { refuseForbiddenText } from './leaks/forbidden-text.ts';
export type { FetchKeyList, KeyList } from './leaks/github-key-list.ts';
export { githubKeyList } from './leaks/github-key-list.ts';
export type { GithubKeysPorts } from './leaks/github-keys.ts';
export { GithubKeys } from './leaks/github-keys.ts';
export { GITHUB, githubSource } from './leaks/github-source.ts';
export type { LeakPolicy } from './leaks/judge-leak.ts';
export type { LeakService, LeakServicePorts } from './leaks/leak-service.ts';
export { ADDRESSES, createLeakService, reportAddresses } from './leaks/leak-service.ts';
export type { LeakReport, LeakSource, ReportHeaders } from './leaks/leak-source.ts';
export { sourcesByName } from './leaks/leak-source.ts';
export type { LeakVerdict, Sighting } from './leaks/sighting.ts';
export { UrlLeaks } from './leaks/url-leaks.ts';
export type { TryOutcome } from './limits/credential-tries.ts';
export { RateLimited, requireAllowed } from './limits/limit-state.ts';
export type { Counted, Limits } from './limits/limits.ts';
export { createLimits } from './limits/limits.ts';
export type { Rate, RateLimitOptions } from './limits/rate.ts';
export type { KeyProvider } from './secrets/key-provider.ts';
export { KeyProviderError } from './secrets/key-provider.ts';
export type { RingKey } from './secrets/key-ring.ts';
export { KeyRing, parseKeyRing } from './secrets/key-ring.ts';
export { hasMadeKey, loadSealingKeys, sealingKeysOf } from './secrets/load-sealing-keys.ts';
export { sealProven } from './secrets/seal-proven.ts';
export type { SealingKeys } from './secrets/sealing-keys.ts';
export { requireOwnKeys } from './secrets/sealing-keys.ts';
export { SecretBox } from './secrets/secret-box.ts';
export { TlsCheck } from './tls/tls-check.ts';
export type { TlsServerOptions } from './tls/tls-server-options.ts';
export { tlsServerOptions } from './tls/tls-server-options.ts';
export { UsageRecorder } from './usage/usage-recorder.ts';
