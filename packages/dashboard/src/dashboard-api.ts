import type { Route } from '@paymount/http';
import {
  type AdminApi,
  type AdminApiPorts,
  createAdminApi,
  type ManagementRoute,
} from '@paymount/management';
import { dashboardRoutes } from './dashboard-routes.ts';
import { type SecretRoutesPorts, secretRoutes } from './secret-routes.ts';

export interface DashboardApiPorts extends AdminApiPorts, SecretRoutesPorts {
  /** All routes of the management API. */
  readonly managed: readonly ManagementRoute[];
  /** All routes of `/v1`. */
  readonly api: readonly Route[];
}

/** Makes the API that the browser application calls. */
export function createDashboardApi({ managed, api, ...ports }: DashboardApiPorts): AdminApi {
  return createAdminApi(dashboardRoutes({ managed, api, own: secretRoutes(ports) }), ports);
}
