// Authenticates credentials: the guard with its lease-fenced cache, rate limits, the decision about
// a route, and the sealing of secrets that must be read back. It knows no routes and no SQL; the
// rows come through core's `CredentialReader` and `AccessStorage`. Start at `guard/authenticate.ts`,
// then `guard/epoch-sync.ts`: why a revoked key is refused in 500 ms.

export { ClientAddresses } from './addresses/client-address.ts';
export type { Admin, AdminFacts, Authenticator } from './admins/admin.ts';
export { assertAdmin, CredentialMissing, isActorId } from './admins/admin.ts';
export { rejectApiKeys } from './admins/bearer-token.ts';
export { allOf, anyOf } from './admins/combined-admin.ts';
export type { HostSession, HostSessionOptions } from './admins/host-session-admin.ts';
export { assertCsrfHeader, hostSessionAdmin, isRead } from './admins/host-session-admin.ts';
export type { JwtAdminOptions } from './admins/jwt-admin.ts';
export { jwtAdmin } from './admins/jwt-admin.ts';
export type { MtlsAdminOptions } from './admins/mtls-admin.ts';
export { mtlsAdmin } from './admins/mtls-admin.ts';
export { assertOrigins, assertOwnOrigin, isForeignPage, pageKind } from './admins/own-origins.ts';
export type { AuthenticateOptions, Guard, GuardRequest } from './guard/authenticate.ts';
export { createGuard } from './guard/authenticate.ts';
export type { RouteAccess } from './guard/authorize-route.ts';
export { authorizeRoute } from './guard/authorize-route.ts';
export { toChallenge } from './guard/challenge.ts';
export { readAuthorization } from './guard/read-credential.ts';
export type {
  HostUser,
  HostUserAccount,
  Identity,
  LoginHint,
  MerchantRole,
} from './identity/identity.ts';
export { currentHostUser, loginLocation, ownedAccounts } from './identity/identity.ts';
export { githubKeyList } from './leak-sources/github-key-list.ts';
export { GithubKeys } from './leak-sources/github-keys.ts';
export { GITHUB, githubSource } from './leak-sources/github-source.ts';
export { AddressShares } from './limits/address-shares.ts';
export type { TryOutcome } from './limits/credential-tries.ts';
export { RateLimited, requireAllowed } from './limits/limit-state.ts';
export type { Counted, Limits } from './limits/limits.ts';
export { createLimits } from './limits/limits.ts';
export type { Rate, RateLimitOptions } from './limits/rate.ts';
export type { KeyProvider } from './secrets/key-provider.ts';
export { KeyProviderError } from './secrets/key-provider.ts';
export type { RingKey } from './secrets/key-ring.ts';
export { KeyRing, parseKeyRing } from './secrets/key-ring.ts';
export { hasMadeKey, loadSealingKeys, toSealingKeys } from './secrets/load-sealing-keys.ts';
export { sealAndVerify } from './secrets/seal-and-verify.ts';
export type { SealingKeys } from './secrets/sealing-keys.ts';
export { requireOwnKeys } from './secrets/sealing-keys.ts';
export { SecretBox } from './secrets/secret-box.ts';
export { TlsCheck } from './tls/tls-check.ts';
export type { TlsServerOptions } from './tls/tls-server-options.ts';
export { tlsServerOptions } from './tls/tls-server-options.ts';
export { UsageRecorder } from './usage/usage-recorder.ts';
