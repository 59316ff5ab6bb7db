// The dashboard of merchants: a browser application of static files, and the API that it calls. The
// API is made of routes of the management API and of /v1, for one account and environment of a user
// of the host. It contains no SQL. Start at `dashboard-routes.ts`, then `merchant.ts`.
export {
  type ApiReference,
  type ApiReferenceOptions,
  createApiReference,
} from './api-reference.ts';
export { AppFiles } from './app-files.ts';
export { type BankAccountRoutesPorts, bankAccountRoutes } from './bank-account-routes.ts';
export { createDashboardApi, dashboardDocument } from './dashboard-api.ts';
export { dashboardRoutes } from './dashboard-routes.ts';
export { failurePage } from './failure-page.ts';
export type { DashboardLooks } from './looks.ts';
export { checkLooks } from './looks.ts';
export { accountOf, toMerchant } from './merchant.ts';
export { type SecretRoutesPorts, secretRoutes } from './secret-routes.ts';
export { toSessionResource } from './session-resource.ts';
