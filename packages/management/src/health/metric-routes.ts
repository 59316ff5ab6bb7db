import type { Environment } from '@paymount/core/kernel';
import { Nothing } from '@paymount/http';
import { z } from 'zod';
import { type ManagementRoute, routesUnder } from '../admin-call.ts';
import type { ManagementServices } from '../services.ts';
import type { Health, Waiting } from './health.ts';

/** A current number, or one for each environment; absent if unknown. */
interface Gauge {
  readonly name: string;
  readonly help: string;
  readonly of: (health: Health) => number | Readonly<Record<Environment, number>> | undefined;
}

/** All metrics of `GET /metrics`; the docs page is generated from this. */
export const GAUGES: readonly Gauge[] = [
  {
    name: 'paymount_database_reachable',
    help: '1 if the database answers, otherwise 0.',
    of: ({ database }) => Number(database.reachable),
  },
  {
    name: 'paymount_operations_under_review',
    help: 'Requests to processors whose outcome a person must settle, for each environment.',
    of: byEnvironment(({ underReview }) => underReview),
  },
  {
    name: 'paymount_operations_hook_waits',
    help: 'How many of them have a result that has waited for the hook for more than 5 minutes.',
    of: byEnvironment(({ hookWaits }) => hookWaits),
  },
  {
    name: 'paymount_operations_under_review_oldest_seconds',
    help: 'How long the oldest of them has waited, for each environment; 0 if there are none.',
    of: byEnvironment(({ oldestMs = 0 }) => seconds(oldestMs)),
  },
  {
    name: 'paymount_deliveries_overdue_seconds',
    help: 'How late the most overdue delivery of a fresh event is.',
    of: ({ overdueMs }) => (overdueMs === undefined ? undefined : seconds(overdueMs)),
  },
];

/** The metrics for a Prometheus server. */
export function metricRoutes({ checkHealth }: ManagementServices): readonly ManagementRoute[] {
  const route = routesUnder('/metrics');
  route.metrics(
    '',
    {
      permission: 'health.read',
      operationId: 'retrieveMetrics',
      summary: 'Retrieve the health as metrics for Prometheus',
      query: Nothing,
      response: z.string(),
    },
    async () => renderMetrics(await checkHealth()),
  );
  return route.routes;
}

/** The text exposition format: `# HELP`, `# TYPE`, and a line for each value. */
function renderMetrics(health: Health): string {
  const lines = GAUGES.flatMap(({ name, help, of }) => {
    const value = of(health);
    if (value === undefined) return [];
    const samples =
      typeof value === 'number'
        ? [`${name} ${value}`]
        : Object.entries(value).map(([of, each]) => `${name}{environment="${of}"} ${each}`);
    return [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, ...samples];
  });
  return `${lines.join('\n')}\n`;
}

function byEnvironment(of: (waiting: Waiting) => number): Gauge['of'] {
  return ({ operations }) => operations && { live: of(operations.live), test: of(operations.test) };
}

function seconds(ms: number): number {
  return Math.round(ms) / 1_000;
}
