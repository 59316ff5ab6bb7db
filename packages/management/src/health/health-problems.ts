import type { Health } from './health.ts';

/** If deliveries wait longer than this for their attempt, there are too few workers. */
const OVERDUE_MS = 60_000;
/** A worker looks for due deliveries every second. */
const STUCK_MS = 60_000;
/** Beyond this, receivers refuse signatures, and nothing is sent. */
const MAX_CLOCK_OFFSET_MS = 30_000;
const MIN_LOG_DAYS = 2;
/** An e-mail is tried five times in the first 51 minutes. */
const MAILS_LATE_MS = 2 * 3_600_000;
/** What fails is tried again after ten minutes, so it may be that late and be well. */
const SUBSCRIPTIONS_LATE_MS = 15 * 60_000;

interface Check {
  readonly code: string;
  readonly message: string;
  /** What is absent from the health is unknown, which is no problem of its own. */
  readonly found: (health: Health) => boolean;
}

/** Everything that makes the health `degraded`, in the order of its weight. */
export const HEALTH_CHECKS = [
  {
    code: 'database_unreachable',
    message: 'The database does not answer within 2 seconds.',
    found: ({ database }) => !database.reachable,
  },
  {
    code: 'database_is_standby',
    message: 'The address of the database leads to a standby, which refuses keys and changes.',
    found: ({ epoch }) => epoch?.inRecovery === true,
  },
  {
    code: 'schema_unusable',
    message:
      'The tables do not fit this version. Run `npx paymount migrate`, or update this process.',
    found: ({ schema }) => schema === 'unusable',
  },
  {
    code: 'sealing_key_unavailable',
    message: 'The key that seals new secrets cannot be loaded.',
    found: ({ database, sealingKey }) => database.reachable && sealingKey === undefined,
  },
  {
    code: 'sealing_keys_missing',
    message:
      'This process lacks keys that sealed stored secrets. Pass them in `sealingKeys`: their deliveries cannot be signed.',
    found: ({ missingSealingKeys = [] }) => missingSealingKeys.length > 0,
  },
  {
    code: 'hook_missing',
    message:
      'Other processes have a hook. This process does not have it, so it records no results. Pass the same hook.',
    found: ({ hook }) => hook === 'missing',
  },
  {
    code: 'worker_stuck',
    message: 'The worker of this process has not looked for due deliveries for a minute.',
    found: ({ worker }) => worker !== undefined && worker.pollAgeMs > STUCK_MS,
  },
  {
    code: 'clock_off',
    message:
      "This machine's clock differs from the database's by over 30 seconds, so its worker sends nothing.",
    found: ({ worker }) =>
      worker !== undefined && Math.abs(worker.clockOffsetMs) > MAX_CLOCK_OFFSET_MS,
  },
  {
    code: 'sending_held',
    message:
      'This worker cannot record results of deliveries, so it sends nothing. Its log has the error of the database.',
    found: ({ worker }) => worker?.sendingHeld === true,
  },
  {
    code: 'endpoints_locked',
    message:
      'Another session of the database has locked webhook endpoints, so their deliveries wait. `worker.locked_endpoints` names them and the session; end its transaction.',
    found: ({ worker }) => (worker?.lockedEndpoints.length ?? 0) > 0,
  },
  {
    code: 'deliveries_overdue',
    message: 'A delivery of a fresh event is over 60 seconds late. Run more workers.',
    found: ({ overdueMs }) => overdueMs !== undefined && overdueMs.fast > OVERDUE_MS,
  },
  {
    code: 'subscriptions_overdue',
    message:
      'A subscription has been due for over 15 minutes. Start a worker; if one runs, its log says why.',
    found: ({ subscriptions }) => (subscriptions?.oldestMs ?? 0) > SUBSCRIPTIONS_LATE_MS,
  },
  {
    code: 'billing_failing',
    message:
      'A worker cannot bill a subscription or an invoice that is due. `GET /subscriptions?failing=true` and `GET /invoices?failing=true` list them, and `failing` says why.',
    found: ({ subscriptions }) => (subscriptions?.failing ?? 0) > 0,
  },
  {
    code: 'reminders_late',
    message:
      'Customers are not reminded of renewals: reminders have been due for over 15 minutes, or could not be written. Start a worker; if one runs, its log says why.',
    found: ({ subscriptions }) =>
      (subscriptions?.reminders.failing ?? 0) > 0 ||
      (subscriptions?.reminders.oldestMs ?? 0) > SUBSCRIPTIONS_LATE_MS,
  },
  {
    code: 'operations_under_review',
    message:
      'A person must settle live operations whose outcome is unknown: `npx paymount operations list`.',
    found: ({ operations }) => (operations?.live.underReview ?? 0) > 0,
  },
  {
    code: 'notices_under_review',
    message: 'A person must look at live notices of the processor: `npx paymount notices list`.',
    found: ({ notices }) => (notices?.live.underReview ?? 0) > 0,
  },
  {
    code: 'queue_unreachable',
    message: 'Redis does not answer; retries use the database.',
    found: ({ queue }) => queue === 'unreachable',
  },
  {
    code: 'queue_evicts',
    message: 'Redis may drop retries when it is full. Set `maxmemory-policy` to `noeviction`.',
    found: ({ queue }) => queue === 'evicting',
  },
  {
    code: 'log_partitions_short',
    message: 'The log of attempts has partitions for less than 2 days. A worker creates them.',
    found: ({ logDaysAhead = MIN_LOG_DAYS }) => logDaysAhead < MIN_LOG_DAYS,
  },
  {
    code: 'tasks_failing',
    message:
      'Scheduled tasks of this worker fail: `worker.failing_tasks` names them, and its log has the errors.',
    found: ({ worker }) => (worker?.failingTasks.length ?? 0) > 0,
  },
  {
    code: 'mails_late',
    message: 'E-mails have waited for over 2 hours. Check the mail server and `last_error`.',
    found: ({ mails }) => (mails?.oldestMs ?? 0) > MAILS_LATE_MS,
  },
  {
    code: 'mails_given_up',
    message:
      'E-mails were given up in the last 24 hours. Repair what `last_error` says, and have them sent again.',
    found: ({ mails }) => (mails?.givenUp ?? 0) > 0,
  },
  {
    code: 'unknown',
    message: 'A part of the state could not be read in time.',
    found: (health) =>
      health.database.reachable &&
      [health.epoch, health.overdueMs, health.operations, health.notices, health.hook].includes(
        undefined,
      ),
  },
] as const satisfies readonly Check[];

export type HealthCode = (typeof HEALTH_CHECKS)[number]['code'];

/** What is wrong, and what to do about it. */
export interface HealthProblem {
  readonly code: HealthCode;
  readonly message: string;
}

/** The problems of an installation and of this process; none if all is well. */
export function findProblems(health: Health): readonly HealthProblem[] {
  return HEALTH_CHECKS.filter(({ found }) => found(health)).map(({ code, message }) => ({
    code,
    message,
  }));
}
