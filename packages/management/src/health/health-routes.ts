import { Nothing } from '@paymount/http';
import { z } from 'zod';
import { type ManagementRoute, routesUnder } from '../admin-call.ts';
import type { ManagementServices } from '../services.ts';
import type { Health, Waiting } from './health.ts';

/** If deliveries wait longer than this for their attempt, there are too few workers. */
const OVERDUE_MS = 60_000;

const WaitingResource = z
  .strictObject({
    under_review: z
      .int()
      .meta({ description: 'The number of operations that a person must look at.' }),
    hook_waits: z.int().meta({
      description:
        'The number of these whose result has waited for the hook for more than 5 minutes.',
    }),
    oldest_ms: z.int().nullable().meta({ description: 'How long the oldest has waited.' }),
  })
  .meta({ id: 'WaitingOperations' });

const HealthResource = z
  .strictObject({
    object: z.literal('health'),
    status: z.enum(['ok', 'degraded']),
    database: z.strictObject({
      reachable: z.boolean(),
      latency_ms: z.number().nullable(),
    }),
    epoch: z
      .strictObject({
        gen: z.int().meta({ description: 'The number of changes of access.' }),
        in_recovery: z
          .boolean()
          .meta({ description: 'Whether a standby answers; then keys are refused.' }),
      })
      .nullable(),
    queue: z
      .enum(['absent', 'reachable', 'unreachable'])
      .meta({ description: 'Redis; without it retries use the database.' }),
    overdue_ms: z.int().nullable().meta({
      description:
        'How late the most overdue delivery of a fresh event is. Above 60,000 ms there are too few workers.',
    }),
    operations: z.strictObject({ live: WaitingResource, test: WaitingResource }).nullable().meta({
      description:
        'Requests to processors whose outcome a person must settle. Those of test do not affect `status`.',
    }),
    hook: z.enum(['present', 'none', 'missing']).nullable().meta({
      description:
        'Whether this process has a hook; `missing`: others have one, and this process leaves results to them.',
    }),
    sealing_key: z
      .string()
      .nullable()
      .meta({ description: 'Name of the key that seals new secrets.' }),
    missing_sealing_keys: z.array(z.string()).nullable().meta({
      description:
        'Names of keys that sealed stored secrets, and that this process does not have or has with other bytes.',
    }),
  })
  .meta({ id: 'ServiceHealth' });

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
    async () => toResource(await checkHealth()),
  );
  return route.routes;
}

function toResource(health: Health): z.output<typeof HealthResource> {
  const { database, epoch, queue, overdueMs, operations, hook } = health;
  const { sealingKey, missingSealingKeys } = health;
  return {
    object: 'health',
    status: isWell(health) ? 'ok' : 'degraded',
    database: { reachable: database.reachable, latency_ms: database.latencyMs ?? null },
    epoch: epoch === undefined ? null : { gen: Number(epoch.gen), in_recovery: epoch.inRecovery },
    queue,
    overdue_ms: overdueMs === undefined ? null : Math.round(overdueMs),
    operations:
      operations === undefined
        ? null
        : { live: toWaiting(operations.live), test: toWaiting(operations.test) },
    hook: hook ?? null,
    sealing_key: sealingKey ?? null,
    missing_sealing_keys: missingSealingKeys === undefined ? null : [...missingSealingKeys],
  };
}

function toWaiting({
  underReview,
  hookWaits,
  oldestMs,
}: Waiting): z.output<typeof WaitingResource> {
  return {
    under_review: underReview,
    hook_waits: hookWaits,
    oldest_ms: oldestMs === undefined ? null : Math.round(oldestMs),
  };
}

function isWell(health: Health): boolean {
  const { database, epoch, queue, overdueMs, operations, hook } = health;
  const { sealingKey, missingSealingKeys } = health;
  const inTime = overdueMs !== undefined && overdueMs <= OVERDUE_MS;
  const onPrimary = epoch?.inRecovery === false;
  const opens = sealingKey !== undefined && missingSealingKeys?.length === 0;
  // Somebody with a test key can make the sandbox contradict itself.
  const isSettled = operations?.live.underReview === 0;
  const answers = database.reachable && onPrimary && queue !== 'unreachable';
  const records = hook !== undefined && hook !== 'missing';
  return answers && inTime && isSettled && records && opens;
}
