import { Nothing } from '@paymount/http';
import { type ManagementRoute, routesUnder } from '../admin-call.ts';
import type { ManagementServices } from '../services.ts';
import { HealthResource, healthResource } from './health-resource.ts';

/** The health of the service. */
export function healthRoutes({ checkHealth }: ManagementServices): readonly ManagementRoute[] {
  const route = routesUnder('/health');
  route.get(
    '',
    {
      permission: 'health.read',
      operationId: 'retrieveHealth',
      summary: 'Retrieve the health of the service',
      query: Nothing,
      response: HealthResource,
    },
    async () => healthResource(await checkHealth()),
  );
  return route.routes;
}
