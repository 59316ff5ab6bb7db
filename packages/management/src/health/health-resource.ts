import { PAYOUT_OBSTACLES } from '@paymount/core/payments';
import { z } from 'zod';
import type { Health, LockedEndpointHealth, Waiting, WaitingNotices } from './health.ts';
import { findProblems, HEALTH_CHECKS } from './health-problems.ts';

const HEALTH_CODES = HEALTH_CHECKS.map(({ code }) => code);

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

const WaitingNoticesResource = z
  .strictObject({
    under_review: z
      .int()
      .meta({ description: 'The number of notices that a person must look at.' }),
    oldest_ms: z.int().nullable().meta({ description: 'How long the oldest has waited.' }),
  })
  .meta({ id: 'WaitingNotices' });

const WaitingPayoutsResource = z
  .strictObject({
    waiting: z
      .int()
      .meta({ description: 'The number of automatic payouts that are due and wait.' }),
    waits_for: z
      .partialRecord(z.enum(PAYOUT_OBSTACLES), z.int())
      .meta({ description: 'How many of them wait for what; without what none waits for.' }),
  })
  .meta({ id: 'WaitingPayouts' });

const LockedEndpointResource = z
  .strictObject({
    endpoint: z.string(),
    waiting_ms: z.int().meta({ description: 'How long its results have waited.' }),
    locked_by: z
      .array(
        z.strictObject({
          pid: z.int().meta({
            description: 'Of its server process: `SELECT pg_terminate_backend(pid)` ends it.',
          }),
          application_name: z.string().nullable(),
          state: z.string().nullable().meta({
            description: 'For example `idle in transaction`; null if this role may not see it.',
          }),
          open_ms: z.int().nullable().meta({
            description:
              'How long its transaction has been open; null if this role may not see it.',
          }),
        }),
      )
      .meta({ description: 'The sessions that hold the lock; empty if they were not found.' }),
  })
  .meta({ id: 'LockedEndpoint' });

/** The health of the service. */
export type HealthJson = z.output<typeof HealthResource>;

export const HealthResource = z
  .strictObject({
    object: z.literal('health'),
    status: z.enum(['ok', 'degraded']).meta({ description: '`degraded` if there is a problem.' }),
    problems: z
      .array(
        z.strictObject({
          code: z.enum(HEALTH_CODES),
          message: z.string().meta({ description: 'What is wrong, and what to do.' }),
        }),
      )
      .meta({ description: 'The most serious first.' }),
    database: z.strictObject({
      reachable: z.boolean(),
      latency_ms: z.number().nullable(),
    }),
    schema: z
      .enum(['current', 'unusable'])
      .nullable()
      .meta({ description: 'Whether this version can use the tables as they are now.' }),
    epoch: z
      .strictObject({
        gen: z.int().meta({ description: 'The number of changes of access.' }),
        in_recovery: z
          .boolean()
          .meta({ description: 'Whether a standby answers; then keys are refused.' }),
      })
      .nullable(),
    queue: z.enum(['absent', 'reachable', 'unreachable', 'evicting']).meta({
      description:
        'Redis; without it retries use the database. `evicting`: its `maxmemory-policy` may drop them.',
    }),
    worker: z
      .strictObject({
        poll_age_ms: z.int().meta({
          description: 'How long ago it last looked for due deliveries; it does so every second.',
        }),
        clock_offset_ms: z.int().meta({
          description: "How far the database's clock is ahead of this machine's.",
        }),
        sending_held: z.boolean().meta({
          description: 'Whether it sends nothing because results of deliveries cannot be recorded.',
        }),
        locked_endpoints: z.array(LockedEndpointResource).meta({
          description:
            'Webhook endpoints whose results wait because another session of the database has locked them.',
        }),
        failing_tasks: z
          .array(z.string())
          .meta({ description: 'The scheduled tasks whose last run failed.' }),
      })
      .nullable()
      .meta({ description: 'The worker of the process that answers, if it has one.' }),
    overdue_ms: z.int().nullable().meta({
      description:
        'How late the most overdue delivery of a fresh event is, among endpoints that answer and have no delivery in progress. Above 60,000 ms there are too few workers.',
    }),
    slow_overdue_ms: z.int().nullable().meta({
      description:
        'The same among endpoints that did not answer within 3 seconds. They share few slots, so that the others do not wait.',
    }),
    log_days_ahead: z.int().nullable().meta({
      description: 'For how many days after today the log of attempts has partitions.',
    }),
    mails: z
      .strictObject({
        waiting: z.int().meta({
          description: 'The number of e-mails of the last 7 days that are not sent yet.',
        }),
        oldest_ms: z.int().nullable().meta({ description: 'How long the oldest has waited.' }),
        given_up: z.int().meta({
          description: 'The number of e-mails that were given up in the last 24 hours.',
        }),
      })
      .nullable(),
    endpoints: z
      .strictObject({
        enabled: z.int(),
        disabled: z.int(),
        failing: z.int().meta({
          description:
            'The enabled ones whose last attempt failed. `GET /endpoints?failing=true` lists them.',
        }),
      })
      .nullable()
      .meta({ description: 'The number of webhook endpoints, without deleted ones.' }),
    operations: z.strictObject({ live: WaitingResource, test: WaitingResource }).nullable().meta({
      description:
        'Requests to processors whose outcome a person must settle. Those of test do not affect `status`.',
    }),
    notices: z
      .strictObject({ live: WaitingNoticesResource, test: WaitingNoticesResource })
      .nullable()
      .meta({
        description:
          'Notices of processors that a person must look at. Those of test do not affect `status`.',
      }),
    payouts: z
      .strictObject({ live: WaitingPayoutsResource, test: WaitingPayoutsResource })
      .nullable()
      .meta({
        description:
          'Automatic payouts that wait. They do not affect `status`, because most wait for a merchant, or because an admin stopped them.',
      }),
    subscriptions: z
      .strictObject({
        due: z
          .int()
          .meta({ description: 'How many are due now, of active accounts and on no test clock.' }),
        oldest_ms: z.int().meta({ description: 'For how long the oldest of them has been due.' }),
        past_due: z
          .record(z.enum(['customer', 'limited', 'never', 'retry']), z.int())
          .meta({ description: 'How many are past due, by why the last payment failed.' }),
        failing: z.int().meta({
          description:
            'How many subscriptions and invoices a worker cannot bill. Their `failing` says why, and it tries again at least once an hour.',
        }),
        reminders: z
          .strictObject({
            due: z.int().meta({ description: 'How many are due now.' }),
            oldest_ms: z
              .int()
              .meta({ description: 'For how long the oldest of them has been due.' }),
            failing: z.int().meta({ description: 'How many a worker could not write.' }),
          })
          .meta({ description: 'Reminders of renewals and of cards that expire.' }),
      })
      .nullable()
      .meta({ description: 'The subscriptions of all accounts.' }),
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

/** The health as the API shows it. */
export function healthResource(health: Health): HealthJson {
  const { database, schema, epoch, worker, overdueMs, mails, operations, subscriptions } = health;
  const problems = findProblems(health);
  return {
    object: 'health',
    status: problems.length === 0 ? 'ok' : 'degraded',
    problems: [...problems],
    database: { reachable: database.reachable, latency_ms: database.latencyMs ?? null },
    schema: schema ?? null,
    epoch: epoch === undefined ? null : { gen: Number(epoch.gen), in_recovery: epoch.inRecovery },
    queue: health.queue,
    worker:
      worker === undefined
        ? null
        : {
            poll_age_ms: Math.round(worker.pollAgeMs),
            clock_offset_ms: Math.round(worker.clockOffsetMs),
            sending_held: worker.sendingHeld,
            locked_endpoints: worker.lockedEndpoints.map(toLockedEndpoint),
            failing_tasks: [...worker.failingTasks],
          },
    overdue_ms: rounded(overdueMs?.fast),
    slow_overdue_ms: rounded(overdueMs?.slow),
    log_days_ahead: health.logDaysAhead ?? null,
    mails:
      mails === undefined
        ? null
        : {
            waiting: mails.waiting,
            oldest_ms: rounded(mails.oldestMs),
            given_up: mails.givenUp,
          },
    endpoints: health.endpoints ? toEndpointCounts(health.endpoints) : null,
    operations:
      operations === undefined
        ? null
        : { live: toWaiting(operations.live), test: toWaiting(operations.test) },
    notices: health.notices
      ? { live: toNotices(health.notices.live), test: toNotices(health.notices.test) }
      : null,
    payouts: health.waitingPayouts
      ? {
          live: toWaitingPayouts(health.waitingPayouts.live),
          test: toWaitingPayouts(health.waitingPayouts.test),
        }
      : null,
    subscriptions:
      subscriptions === undefined
        ? null
        : {
            due: subscriptions.due,
            oldest_ms: Math.round(subscriptions.oldestMs),
            past_due: subscriptions.pastDue,
            failing: subscriptions.failing,
            reminders: {
              due: subscriptions.reminders.due,
              oldest_ms: Math.round(subscriptions.reminders.oldestMs),
              failing: subscriptions.reminders.failing,
            },
          },
    hook: health.hook ?? null,
    sealing_key: health.sealingKey ?? null,
    missing_sealing_keys: health.missingSealingKeys?.slice() ?? null,
  };
}

function toLockedEndpoint({
  endpoint,
  waitingMs,
  holders,
}: LockedEndpointHealth): z.output<typeof LockedEndpointResource> {
  return {
    endpoint,
    waiting_ms: Math.round(waitingMs),
    locked_by: holders.map(({ pid, applicationName, state, openMs }) => ({
      pid,
      application_name: applicationName ?? null,
      state: state ?? null,
      open_ms: openMs ?? null,
    })),
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
    oldest_ms: rounded(oldestMs),
  };
}

function toNotices({
  underReview,
  oldestMs,
}: WaitingNotices): z.output<typeof WaitingNoticesResource> {
  return { under_review: underReview, oldest_ms: rounded(oldestMs) };
}

function toWaitingPayouts(
  counts: NonNullable<Health['waitingPayouts']>['live'],
): z.output<typeof WaitingPayoutsResource> {
  const waiting = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return { waiting, waits_for: counts };
}

function toEndpointCounts({ enabled, disabled, failing }: NonNullable<Health['endpoints']>) {
  return { enabled: enabled.fast + enabled.slow, disabled: disabled.fast + disabled.slow, failing };
}

function rounded(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.round(ms);
}
