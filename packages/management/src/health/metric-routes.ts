import { Nothing } from '@paymount/http';
import { z } from 'zod';
import { type ManagementRoute, routesUnder } from '../admin-call.ts';
import type { ManagementServices } from '../services.ts';
import type { Health } from './health.ts';

/** One number at this moment; absent when it cannot be told. */
interface Gauge {
  readonly name: string;
  readonly help: string;
  readonly of: (health: Health) => number | undefined;
}

const GAUGES: readonly Gauge[] = [
  {
    name: 'paymount_database_reachable',
    help: '1 while the database answers, else 0.',
    of: ({ database }) => Number(database.reachable),
  },
  {
    name: 'paymount_operations_under_review',
    help: 'Requests to processors whose outcome a person must settle.',
    of: ({ operations }) => operations?.underReview,
  },
  {
    name: 'paymount_operations_under_review_oldest_seconds',
    help: 'How long the oldest of them waits; 0 when none does.',
    of: ({ operations }) => operations && seconds(operations.oldestMs ?? 0),
  },
  {
    name: 'paymount_deliveries_overdue_seconds',
    help: 'How late the most overdue delivery of a fresh event is.',
    of: ({ overdueMs }) => (overdueMs === undefined ? undefined : seconds(overdueMs)),
  },
];

/** What a Prometheus server scrapes. */
export function metricRoutes({ checkHealth }: ManagementServices): readonly ManagementRoute[] {
  const route = routesUnder('/metrics');
  route.metrics(
    '',
    {
      permission: 'health.read',
      summary: 'The same in numbers, for Prometheus',
      query: Nothing,
      answers: z.string(),
    },
    async () => textOf(await checkHealth()),
  );
  return route.routes;
}

/** The text exposition format: `# HELP`, `# TYPE`, and a line for the value. */
function textOf(health: Health): string {
  const lines = GAUGES.flatMap(({ name, help, of }) => {
    const value = of(health);
    if (value === undefined) return [];
    return [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, `${name} ${value}`];
  });
  return `${lines.join('\n')}\n`;
}

function seconds(ms: number): number {
  return Math.round(ms) / 1_000;
}
