// The API of admins: accounts, keys, platforms, endpoints, deliveries, leaks, audit, health. Every route
// declares the permission that it requires, and every change writes an audit row in the same
// commit. It contains no SQL; the host's authenticator identifies the admin. Start at `serve.ts`
// (one request), then `roles.ts` and `keys/key-routes.ts`.
export type { AccountCallPorts } from './accounts/account-calls.ts';
export { ACCOUNTS_PATH, AccountCalls, AccountListQuery } from './accounts/account-calls.ts';
export type { AdminCall, ManagementAccess, ManagementRoute } from './admin-call.ts';
export { callFor, FRESH_SECONDS, requireIn, routesUnder, target } from './admin-call.ts';
export type { CheckHealth, Health, Waiting, WaitingNotices } from './health/health.ts';
export type { HealthCode, HealthProblem } from './health/health-problems.ts';
export { findProblems, HEALTH_CHECKS } from './health/health-problems.ts';
export type { HealthJson } from './health/health-resource.ts';
export { healthResource } from './health/health-resource.ts';
export type { KeyCallPorts } from './keys/key-calls.ts';
export { KEYS_PATH, KeyCalls, KeyListQuery } from './keys/key-calls.ts';
export type { IpSuggestionsJson, KeyUsageJson, KeyUseCallPorts } from './keys/key-use-calls.ts';
export { KeyUsageQuery, KeyUseCalls } from './keys/key-use-calls.ts';
export type { AdminApi, AdminApiPorts, Management } from './management.ts';
export {
  createAdminApi,
  createManagement,
  describeAccess,
  managementDocument,
  managementRoutes,
  SESSION_SCHEME,
} from './management.ts';
export type { PlatformCallPorts } from './platforms/platform-calls.ts';
export { PLATFORMS_PATH, PlatformCalls, PlatformListQuery } from './platforms/platform-calls.ts';
export type { Permission } from './roles.ts';
export { environmentsWith, PERMISSIONS, permissionsIn, ROLES } from './roles.ts';
export type { AdminRequestContext } from './serve.ts';
export { ADMINS, callerName } from './serve.ts';
export type { ManagementServices } from './services.ts';
