import { Nothing } from '@paymount/http';
import { z } from 'zod';
import { type ManagementRoute, routesUnder } from '../admin-call.ts';
import type { ManagementServices } from '../services.ts';

/** The metrics of the process that answers, for a Prometheus server. */
export function metricRoutes({ readMetrics }: ManagementServices): readonly ManagementRoute[] {
  const route = routesUnder('/metrics');
  route.metrics(
    '',
    {
      permission: 'health.read',
      operationId: 'retrieveMetrics',
      summary: 'Retrieve the metrics of this process for Prometheus',
      query: Nothing,
      response: z.string(),
    },
    readMetrics,
  );
  return route.routes;
}
