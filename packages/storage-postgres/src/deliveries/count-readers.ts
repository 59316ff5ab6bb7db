import type { AttemptCount, CountFilter, DeliveryCounts } from '@paymount/core/events';
import { type AdminScope, type EndpointId, livemode } from '@paymount/core/kernel';
import { type Statement, statement } from '../connection/statement.ts';
import { readList } from '../shared/list-limits.ts';
import type { Session } from '../transaction/session.ts';

interface CountRow {
  readonly starts_at: Date | null;
  readonly endpoint_id: EndpointId | null;
  readonly outcome: AttemptCount['outcome'];
  readonly error: NonNullable<AttemptCount['error']> | '';
  readonly status_class: number;
  readonly attempts: bigint;
  readonly ended: bigint;
  readonly duration_ms: bigint;
}

/** One range of the primary key for each endpoint, whatever statistics say. */
const countsOf =
  (endpoints: string) =>
  (s: string): string =>
    `SELECT c.starts_at, c.endpoint_id, c.outcome, c.error, c.status_class,
    sum(c.attempts)::bigint AS attempts, sum(c.ended)::bigint AS ended,
    sum(c.duration_ms)::bigint AS duration_ms
  FROM (SELECT id FROM ${s}.webhook_endpoints
    WHERE livemode = ANY ($1::boolean[])${endpoints} OFFSET 0) e
  CROSS JOIN LATERAL (SELECT * FROM ${s}.delivery_counts
    WHERE endpoint_id = e.id AND "interval" = $2
      AND starts_at >= $3::timestamptz AND starts_at < $4::timestamptz
      AND ($5::text IS NULL OR event_type = $5) OFFSET 0) c
  GROUP BY GROUPING SETS ((c.starts_at, c.outcome, c.error, c.status_class),
    (c.endpoint_id, c.outcome, c.error, c.status_class))`;
/** All endpoints, if the platform is null. */
const setBy = (platform: string): string =>
  ` AND (${platform}::text IS NULL OR url_set_by ->> 'id' = ${platform})`;
const ofAll = statement('pm_counts_of_all_v1', countsOf(''));
const ofAccounts = statement(
  'pm_counts_of_accounts_v2',
  countsOf(` AND account_id = ANY ($6::text[])${setBy('$7')}`),
);
/** The accounts are checked as well: null, if they are all. */
const ofEndpoint = statement(
  'pm_counts_of_endpoint_v2',
  countsOf(` AND ($6::text[] IS NULL OR account_id = ANY ($6)) AND id = $8${setBy('$7')}`),
);
const lastCounted = statement(
  'pm_counts_last_v1',
  (s) => `SELECT max(counted_at) AS at FROM
    (SELECT counted_at FROM ${s}.counted_hours ORDER BY hour DESC LIMIT 2) c`,
);

/** The counts of the endpoints in a scope; see `DeliveryReader.counts`. */
export function readCounts(
  session: Session,
  scope: AdminScope,
  filter: CountFilter,
): Promise<DeliveryCounts> {
  return readList(session, async (reading) => {
    const { rows } = await reading.query<CountRow>(...asked(scope, filter));
    const [last] = (await reading.query<{ at: Date | null }>(lastCounted, [])).rows;
    return {
      byInterval: rows.flatMap((row) =>
        row.starts_at === null ? [] : [{ ...toCount(row), startsAt: row.starts_at }],
      ),
      byEndpoint: rows.flatMap((row) =>
        row.endpoint_id === null ? [] : [{ ...toCount(row), endpointId: row.endpoint_id }],
      ),
      ...(last?.at && { countedAt: last.at }),
    };
  });
}

function asked(
  { accounts, environments }: AdminScope,
  { interval, from, to, endpoint, type, urlSetBy }: CountFilter,
): readonly [Statement, unknown[]] {
  const values = [environments.map(livemode), interval, from, to, type ?? null];
  const named = accounts === 'all' ? null : accounts;
  if (endpoint !== undefined) return [ofEndpoint, [...values, named, urlSetBy ?? null, endpoint]];
  return named === null ? [ofAll, values] : [ofAccounts, [...values, named, urlSetBy ?? null]];
}

function toCount(row: CountRow): AttemptCount {
  return {
    outcome: row.outcome,
    ...(row.error !== '' && { error: row.error }),
    ...(row.status_class > 0 && { statusClass: row.status_class }),
    attempts: Number(row.attempts),
    ended: Number(row.ended),
    durationMs: Number(row.duration_ms),
  };
}
