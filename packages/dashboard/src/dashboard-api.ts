import { CURRENT_API_VERSION } from '@paymount/core/changes';
import { type Document, type Route, toOpenApi } from '@paymount/http';
import {
  type AdminApi,
  type AdminApiPorts,
  createAdminApi,
  describeAccess,
  type ManagementRoute,
  SESSION_SCHEME,
} from '@paymount/management';
import { type BankAccountRoutesPorts, bankAccountRoutes } from './bank-account-routes.ts';
import { dashboardRoutes } from './dashboard-routes.ts';
import { type SecretRoutesPorts, secretRoutes } from './secret-routes.ts';

export interface DashboardApiPorts
  extends AdminApiPorts,
    SecretRoutesPorts,
    BankAccountRoutesPorts {
  /** All routes of the management API. */
  readonly managed: readonly ManagementRoute[];
  /** All routes of `/v1`. */
  readonly api: readonly Route[];
}

/** Makes the API that the browser application calls. */
export function createDashboardApi({ managed, api, ...ports }: DashboardApiPorts): AdminApi {
  return createAdminApi(
    dashboardRoutes({
      managed,
      api,
      own: [...secretRoutes(ports), ...bankAccountRoutes(ports)],
    }),
    ports,
  );
}

/** The OpenAPI 3.1 document of the API that the browser application calls. */
export function dashboardDocument(routes: readonly ManagementRoute[]): Document {
  return toOpenApi(routes, {
    info: {
      title: 'Paymount dashboard',
      version: CURRENT_API_VERSION,
      description:
        'What the pages of the dashboard call. It may change with any release: programs use /v1 or ' +
        'the management API. Paths are relative to `api/:account/:environment` below the mount.',
    },
    base: '',
    security: ['session'],
    securitySchemes: { session: SESSION_SCHEME },
    describeAccess,
  });
}
