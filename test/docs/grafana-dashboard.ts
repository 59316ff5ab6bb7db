import type { METRICS } from '@paymount/core/kernel';

type MetricName = (typeof METRICS)[number]['name'];
type Unit = 's' | 'short' | 'reqps' | 'percentunit';

interface Panel {
  readonly title: string;
  readonly description: string;
  readonly unit: Unit;
  /** Legends and queries. */
  readonly queries: Readonly<Record<string, string>>;
}

/** A counter's rate over the interval that the dashboard shows. */
function rate(name: MetricName, by = '', where = ''): string {
  const sum = by === '' ? 'sum' : `sum by (${by})`;
  return `${sum} (rate(${name}{job=~"$job"${where}}[$__rate_interval]))`;
}

function gauge(name: MetricName, by = '', how = 'max'): string {
  const over = by === '' ? how : `${how} by (${by})`;
  return `${over} (${name}{job=~"$job"})`;
}

function quantile(share: number, name: MetricName, by = ''): string {
  const labels = by === '' ? 'le' : `le, ${by}`;
  return `histogram_quantile(${share}, sum by (${labels}) (rate(${name}_bucket{job=~"$job"}[$__rate_interval])))`;
}

const ATTEMPTS = 'paymount_delivery_attempts_total';

const PANELS: readonly Panel[] = [
  {
    title: 'Most overdue delivery',
    description:
      'In the fast lane, above 60 seconds there are too few workers. Endpoints that do not answer wait in the slow lane.',
    unit: 's',
    queries: { '{{lane}}': gauge('paymount_deliveries_overdue_seconds', 'lane') },
  },
  {
    title: 'Operations under review',
    description: 'Requests to processors whose outcome a person must settle.',
    unit: 'short',
    queries: { '{{environment}}': gauge('paymount_operations_under_review', 'environment') },
  },
  {
    title: 'Notices under review',
    description: 'Notices of processors that a person must look at.',
    unit: 'short',
    queries: { '{{environment}}': gauge('paymount_notices_under_review', 'environment') },
  },
  {
    title: 'Automatic payouts that wait',
    description: 'Automatic payouts that are due and wait, by what they wait for.',
    unit: 'short',
    queries: {
      '{{environment}} {{waits_for}}': gauge('paymount_payouts_waiting', 'environment, waits_for'),
    },
  },
  {
    title: 'Subscriptions',
    description: 'Subscriptions that are due now, and those that are past due, by class.',
    unit: 'short',
    queries: {
      due: gauge('paymount_subscriptions_due'),
      'seconds since the oldest was due': gauge('paymount_subscriptions_due_oldest_seconds'),
      'past due: {{class}}': gauge('paymount_subscriptions_past_due', 'class'),
      'cannot be billed': gauge('paymount_billing_failing'),
    },
  },
  {
    title: 'Reminders of renewals',
    description: 'Reminders that are due now, and those that a worker could not write.',
    unit: 'short',
    queries: {
      due: gauge('paymount_reminders_due'),
      'seconds since the oldest was due': gauge('paymount_reminders_due_oldest_seconds'),
      'could not be written': gauge('paymount_reminders_failing'),
    },
  },
  {
    title: 'Notices of processors',
    description: 'Notices that were tried, by the state after the try.',
    unit: 'reqps',
    queries: { '{{state}}': rate('paymount_notices_total', 'state') },
  },
  {
    title: 'Delivery attempts',
    description: 'Attempts that ended, by outcome.',
    unit: 'reqps',
    queries: { '{{outcome}}': rate(ATTEMPTS, 'outcome') },
  },
  {
    title: 'Failed attempts by error',
    description: 'Why attempts failed.',
    unit: 'reqps',
    queries: { '{{error}}': rate(ATTEMPTS, 'error', ', outcome="failed"') },
  },
  {
    title: 'Delivery lag',
    description: 'From when an attempt was due until it was sent.',
    unit: 's',
    queries: {
      'median of {{origin}}': quantile(0.5, 'paymount_delivery_lag_seconds', 'origin'),
      'p99 of {{origin}}': quantile(0.99, 'paymount_delivery_lag_seconds', 'origin'),
    },
  },
  {
    title: 'Duration of attempts',
    description: 'How long receivers took.',
    unit: 's',
    queries: {
      median: quantile(0.5, 'paymount_delivery_attempt_seconds'),
      p99: quantile(0.99, 'paymount_delivery_attempt_seconds'),
    },
  },
  {
    title: 'Attempts in flight',
    description: 'Over all workers, by lane.',
    unit: 'short',
    queries: { '{{lane}}': gauge('paymount_deliveries_in_flight', 'lane', 'sum') },
  },
  {
    title: 'Connections reused',
    description: 'The share of attempts on a connection that was already open.',
    unit: 'percentunit',
    queries: { reused: `${rate('paymount_connections_reused_total')} / ${rate(ATTEMPTS)}` },
  },
  {
    title: 'Webhook endpoints',
    description:
      'By status and lane. Those in the slow lane do not answer within 3 seconds; the last attempt ' +
      'to those that are failing failed.',
    unit: 'short',
    queries: {
      '{{status}}, {{lane}}': gauge('paymount_endpoints', 'status, lane'),
      failing: gauge('paymount_endpoints_failing'),
    },
  },
  {
    title: 'Repeated work',
    description: 'Deliveries of stopped processes, and results that came second.',
    unit: 'reqps',
    queries: {
      reclaimed: rate('paymount_deliveries_reclaimed_total'),
      superseded: rate('paymount_deliveries_superseded_total'),
      'claimed by the sweeper ({{origin}})': rate('paymount_reconciler_claimed_total', 'origin'),
    },
  },
  {
    title: 'Calls to processors',
    description: 'Calls that ended, by operation and outcome.',
    unit: 'reqps',
    queries: {
      '{{environment}} {{operation}} {{outcome}}': rate(
        'paymount_processor_calls_total',
        'environment, operation, outcome',
      ),
    },
  },
  {
    title: 'Duration of calls to processors',
    description: 'The 99th percentile.',
    unit: 's',
    queries: {
      '{{environment}} {{operation}}': quantile(
        0.99,
        'paymount_processor_call_seconds',
        'environment, operation',
      ),
    },
  },
  {
    title: 'Error responses',
    description: 'By error code.',
    unit: 'reqps',
    queries: { '{{code}}': rate('paymount_error_responses_total', 'code') },
  },
  {
    title: 'Processes',
    description: 'Processes that reach the database and Redis, and the age of their last poll.',
    unit: 'short',
    queries: {
      'reach the database': gauge('paymount_database_reachable', '', 'sum'),
      'reach Redis': gauge('paymount_queue_up', '', 'sum'),
      'oldest poll (s)': gauge('paymount_worker_poll_age_seconds'),
      'hold back sending': gauge('paymount_worker_sending_held', '', 'sum'),
      'endpoints locked': gauge('paymount_worker_endpoints_locked', '', 'sum'),
      'largest clock offset (s)': 'max (abs(paymount_clock_offset_seconds{job=~"$job"}))',
    },
  },
  {
    title: 'Upkeep',
    description:
      'Days for which the log has partitions, old rows deleted, e-mails that wait, tasks that fail.',
    unit: 'short',
    queries: {
      'failures of {{task}} per second': rate('paymount_scheduled_work_failures_total', 'task'),
      'days of the log ahead': gauge('paymount_log_partitions_ahead'),
      'rows of {{table}} deleted per second': rate('paymount_purged_rows_total', 'table'),
      'e-mails waiting': gauge('paymount_mails_waiting'),
    },
  },
];

const WIDTH = 12;
const HEIGHT = 8;

/** `docs/how-to/grafana-dashboard.json`: a dashboard to import into Grafana 10 or later. */
export function grafanaDashboard(): string {
  const dashboard = {
    uid: 'paymount',
    title: 'Paymount',
    tags: ['paymount'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: {
      list: [
        { name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' },
        {
          name: 'job',
          type: 'query',
          label: 'Job',
          datasource: { type: 'prometheus', uid: '$datasource' },
          query: 'label_values(paymount_database_reachable, job)',
          refresh: 2,
          multi: true,
          includeAll: true,
        },
      ],
    },
    panels: PANELS.map(toPanel),
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}

function toPanel({ title, description, unit, queries }: Panel, index: number): object {
  return {
    id: index + 1,
    type: 'timeseries',
    title,
    description,
    datasource: { type: 'prometheus', uid: '$datasource' },
    gridPos: { x: (index % 2) * WIDTH, y: Math.floor(index / 2) * HEIGHT, w: WIDTH, h: HEIGHT },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets: Object.entries(queries).map(([legendFormat, expr], nth) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + nth),
      legendFormat,
      expr,
    })),
  };
}
