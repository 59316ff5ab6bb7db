interface Metric {
  readonly kind: 'counter' | 'histogram' | 'gauge';
  readonly name: string;
  readonly help: string;
  /** None of them names an account or an endpoint, so that the number of series stays small. */
  readonly labels: readonly string[];
  /**
   * What a value describes: this process, or the whole installation, which any process can tell.
   */
  readonly scope: 'process' | 'installation';
  /** Upper bounds of a histogram, in seconds. */
  readonly buckets?: readonly number[];
}

const CALL_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];
const LAG_BUCKETS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 5, 15, 60, 300, 3_600];

/**
 * Every metric, in the order of the reference. Times are in seconds. Requests are not measured,
 * because the host's server can measure them together with its own routes.
 */
export const METRICS = [
  {
    kind: 'gauge',
    name: 'paymount_database_reachable',
    help: '1 if the database answers, otherwise 0.',
    labels: [],
    scope: 'process',
  },
  {
    kind: 'gauge',
    name: 'paymount_queue_up',
    help: '1 if Redis answers, otherwise 0; absent without Redis.',
    labels: [],
    scope: 'process',
  },
  {
    kind: 'gauge',
    name: 'paymount_clock_offset_seconds',
    help: 'How far the clock of the database is ahead of that of this machine.',
    labels: [],
    scope: 'process',
  },
  {
    kind: 'gauge',
    name: 'paymount_worker_poll_age_seconds',
    help: 'How long ago the worker last looked for due deliveries; absent without a worker.',
    labels: [],
    scope: 'process',
  },
  {
    kind: 'gauge',
    name: 'paymount_worker_sending_held',
    help: '1 while the worker sends nothing because results cannot be recorded, otherwise 0.',
    labels: [],
    scope: 'process',
  },
  {
    kind: 'gauge',
    name: 'paymount_worker_endpoints_locked',
    help: 'Endpoints whose results have waited for over a second for a lock of another session of the database; absent without a worker. `GET /health` names them and the session.',
    labels: [],
    scope: 'process',
  },
  {
    kind: 'gauge',
    name: 'paymount_deliveries_in_flight',
    help: 'Delivery attempts that run now.',
    labels: ['lane'],
    scope: 'process',
  },
  {
    kind: 'counter',
    name: 'paymount_delivery_attempts_total',
    help: 'Delivery attempts that ended. `error` is empty after a success.',
    labels: ['outcome', 'error'],
    scope: 'process',
  },
  {
    kind: 'histogram',
    name: 'paymount_delivery_attempt_seconds',
    help: 'How long a delivery attempt took.',
    labels: [],
    scope: 'process',
    buckets: CALL_BUCKETS,
  },
  {
    kind: 'histogram',
    name: 'paymount_delivery_lag_seconds',
    help: 'The time from when a delivery attempt was due until it was sent.',
    labels: ['origin'],
    scope: 'process',
    buckets: LAG_BUCKETS,
  },
  {
    kind: 'counter',
    name: 'paymount_deliveries_reclaimed_total',
    help: 'Deliveries that were claimed again because the process that held them stopped.',
    labels: [],
    scope: 'process',
  },
  {
    kind: 'counter',
    name: 'paymount_deliveries_superseded_total',
    help: 'Results that were not used because another result of the same attempt came first.',
    labels: [],
    scope: 'process',
  },
  {
    kind: 'counter',
    name: 'paymount_reconciler_claimed_total',
    help: 'Deliveries that the sweeper claimed, rather than the commit or the retry queue.',
    labels: ['origin'],
    scope: 'process',
  },
  {
    kind: 'counter',
    name: 'paymount_connections_reused_total',
    help: 'Delivery attempts on a connection that was already open.',
    labels: [],
    scope: 'process',
  },
  {
    kind: 'counter',
    name: 'paymount_processor_calls_total',
    help: 'Requests to processors that ended.',
    labels: ['environment', 'operation', 'outcome'],
    scope: 'process',
  },
  {
    kind: 'histogram',
    name: 'paymount_processor_call_seconds',
    help: 'How long a request to a processor took.',
    labels: ['environment', 'operation'],
    scope: 'process',
    buckets: CALL_BUCKETS,
  },
  {
    kind: 'counter',
    name: 'paymount_notices_total',
    help: 'Notices of processors that were tried, by the state after the try.',
    labels: ['environment', 'kind', 'state'],
    scope: 'process',
  },
  {
    kind: 'counter',
    name: 'paymount_scheduled_work_failures_total',
    help: 'Runs of scheduled tasks that failed.',
    labels: ['task'],
    scope: 'process',
  },
  {
    kind: 'counter',
    name: 'paymount_purged_rows_total',
    help: 'Rows that were deleted because they were kept long enough.',
    labels: ['table'],
    scope: 'process',
  },
  {
    kind: 'counter',
    name: 'paymount_error_responses_total',
    help: 'Responses of the routers that were errors, by error code.',
    labels: ['code'],
    scope: 'process',
  },
  {
    kind: 'gauge',
    name: 'paymount_deliveries_overdue_seconds',
    help:
      'How late the most overdue delivery of a fresh event is, by lane of its endpoint. Endpoints ' +
      'with a delivery in progress do not count.',
    labels: ['lane'],
    scope: 'installation',
  },
  {
    kind: 'gauge',
    name: 'paymount_endpoints',
    help: 'Webhook endpoints by status and lane; `slow` are those that do not answer within 3 seconds.',
    labels: ['status', 'lane'],
    scope: 'installation',
  },
  {
    kind: 'gauge',
    name: 'paymount_endpoints_failing',
    help: 'Enabled webhook endpoints whose last attempt failed. Each is disabled after 72 hours.',
    labels: [],
    scope: 'installation',
  },
  {
    kind: 'gauge',
    name: 'paymount_log_partitions_ahead',
    help: 'For how many days after today the log of attempts has a partition.',
    labels: [],
    scope: 'installation',
  },
  {
    kind: 'gauge',
    name: 'paymount_mails_waiting',
    help: 'E-mails of the last 7 days that are not sent yet, even after tries.',
    labels: [],
    scope: 'installation',
  },
  {
    kind: 'gauge',
    name: 'paymount_operations_under_review',
    help: 'Requests to processors whose outcome a person must settle, for each environment.',
    labels: ['environment'],
    scope: 'installation',
  },
  {
    kind: 'gauge',
    name: 'paymount_operations_hook_waits',
    help: 'How many of them have a result that has waited for the hook for more than 5 minutes.',
    labels: ['environment'],
    scope: 'installation',
  },
  {
    kind: 'gauge',
    name: 'paymount_operations_under_review_oldest_seconds',
    help: 'How long the oldest of them has waited, for each environment; 0 if there are none.',
    labels: ['environment'],
    scope: 'installation',
  },
  {
    kind: 'gauge',
    name: 'paymount_notices_under_review',
    help: 'Notices of processors that a person must look at, for each environment.',
    labels: ['environment'],
    scope: 'installation',
  },
  {
    kind: 'gauge',
    name: 'paymount_subscriptions_due',
    help: 'Subscriptions that a worker must renew, retry or end now.',
    labels: [],
    scope: 'installation',
  },
  {
    kind: 'gauge',
    name: 'paymount_subscriptions_due_oldest_seconds',
    help: 'For how long the oldest subscription that is due has been due.',
    labels: [],
    scope: 'installation',
  },
  {
    kind: 'gauge',
    name: 'paymount_subscriptions_past_due',
    help: 'Subscriptions that are past due, for each class of the last failed payment.',
    labels: ['class'],
    scope: 'installation',
  },
  {
    kind: 'gauge',
    name: 'paymount_billing_failing',
    help: 'Subscriptions and invoices that are due and that a worker cannot bill.',
    labels: [],
    scope: 'installation',
  },
  {
    kind: 'gauge',
    name: 'paymount_reminders_due',
    help: 'Reminders of renewals and of cards that expire that a worker must write now.',
    labels: [],
    scope: 'installation',
  },
  {
    kind: 'gauge',
    name: 'paymount_reminders_due_oldest_seconds',
    help: 'For how long the oldest reminder that is due has been due.',
    labels: [],
    scope: 'installation',
  },
  {
    kind: 'gauge',
    name: 'paymount_reminders_failing',
    help: 'Reminders that a worker could not write, and tries again.',
    labels: [],
    scope: 'installation',
  },
  {
    kind: 'gauge',
    name: 'paymount_payouts_waiting',
    help: 'Automatic payouts that are due and wait, for each environment and what they wait for.',
    labels: ['environment', 'waits_for'],
    scope: 'installation',
  },
] as const satisfies readonly Metric[];

type Listed = (typeof METRICS)[number];

export type CounterName = Extract<Listed, { kind: 'counter' }>['name'];
export type HistogramName = Extract<Listed, { kind: 'histogram' }>['name'];
export type GaugeName = Extract<Listed, { kind: 'gauge' }>['name'];

/** The labels that a metric must have, each with a text. */
export type LabelsOf<Name extends Listed['name']> = Readonly<
  Record<Extract<Listed, { name: Name }>['labels'][number], string>
>;
