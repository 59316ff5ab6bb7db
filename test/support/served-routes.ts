import {
  type BankAccountRoutesPorts,
  bankAccountRoutes,
  dashboardRoutes,
  type SecretRoutesPorts,
  secretRoutes,
} from '@paymount/dashboard';
import { apiRoutes, type Services } from '@paymount/http';
import { type ManagementServices, managementRoutes } from '@paymount/management';

// The routes are only described here; none is called.
const api = apiRoutes({} as Services);
const managed = managementRoutes({ directory: {} } as unknown as ManagementServices);
const own = [
  ...secretRoutes({} as SecretRoutesPorts),
  ...bankAccountRoutes({} as BankAccountRoutesPorts),
];

/** The routes of each API, as the package serves them. */
export const SERVED = {
  api,
  management: managed,
  dashboard: dashboardRoutes({ managed, api, own }),
};
