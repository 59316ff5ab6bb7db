import { type CountFilter, MAX_ATTEMPTS } from '@paymount/core/events';
import { statement } from '../connection/statement.ts';
import type { Session } from '../transaction/session.ts';
import { inTransaction } from '../transaction/transaction.ts';

const DAY_MS = 86_400_000;
/** Of one call. */
const MAX_HOURS = 24;
/** One hour with millions of attempts takes seconds. */
const COUNT_LIMIT_MS = 60_000;
/** After an hour has ended, results of its last attempts are still recorded. */
const LATE = "interval '5 minutes'";
/**
 * So many attempts are read in about 10 ms: an hour in progress is counted again after one second
 * for each of these, so that counting takes about one percent of the time, over all workers.
 */
const PER_SECOND = 10_000;

interface StaleHour {
  readonly hour: Date;
  /** Null: the hour is in progress or has just ended. */
  readonly logged: bigint | null;
  readonly counted: bigint | null;
}

const KEY = ['endpoint_id', 'event_type', 'outcome', 'error', 'status_class'];
const ROW_KEY = 'endpoint_id, "interval", starts_at, event_type, outcome, error, status_class';
const COUNTS = ['attempts', 'ended', 'duration_ms'];

/**
 * Hours of the log's days that may have attempts which are not counted: the newest first. Earlier
 * ones are compared every hour, by their number of rows, which is read from an index.
 */
const stale = statement(
  'pm_counts_stale_v1',
  (s) => `WITH days AS (
  SELECT to_date(right(c.relname, 8), 'YYYYMMDD')::timestamp AT TIME ZONE 'UTC' AS day
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  WHERE i.inhparent = '${s}.delivery_attempts'::regclass),
stale AS MATERIALIZED (
  SELECT h.hour, c.attempts FROM days d
  CROSS JOIN generate_series(d.day, d.day + interval '23 hours', interval '1 hour') AS h (hour)
  LEFT JOIN ${s}.counted_hours c ON c.hour = h.hour
  WHERE h.hour <= $1::timestamptz AND (c.counted_at IS NULL
    OR c.counted_at <= $1 - interval '1 hour'
    OR c.counted_at < h.hour + interval '1 hour' + ${LATE}
      AND c.counted_at <= $1 - c.attempts / ${PER_SECOND} * interval '1 second')
  ORDER BY h.hour DESC LIMIT ${MAX_HOURS})
SELECT hour, attempts AS counted,
  CASE WHEN hour + interval '1 hour' + ${LATE} <= $1 THEN
    (SELECT count(*) FROM ${s}.delivery_attempts a
     WHERE a.started_at >= hour AND a.started_at < hour + interval '1 hour') END AS logged
FROM stale`,
  COUNT_LIMIT_MS,
);
const isAlone = statement(
  'pm_counts_alone_v1',
  (s) => `SELECT pg_try_advisory_xact_lock(hashtextextended('counts ${s}', 0)) AS alone`,
);
/** Attempts are never changed or deleted one by one, so rows with more attempts are newer. */
const UPSERT = `ON CONFLICT (${ROW_KEY}) DO UPDATE SET
    ${COUNTS.map((name) => `${name} = excluded.${name}`).join(', ')}
  WHERE c.attempts < excluded.attempts`;
const countHour = statement(
  'pm_counts_hour_v1',
  (s) => `WITH counted AS MATERIALIZED (
  SELECT endpoint_id, event_type, outcome, COALESCE(error_code, '') AS error,
    (COALESCE(response_status, 0) / 100)::smallint AS status_class, count(*) AS attempts,
    count(*) FILTER (WHERE outcome = 'succeeded' OR outcome = 'failed' AND attempt >= ${MAX_ATTEMPTS})
      AS ended,
    sum(duration_ms) AS duration_ms
  FROM ${s}.delivery_attempts WHERE started_at >= $1::timestamptz
    AND started_at < $1::timestamptz + interval '1 hour'
  GROUP BY 1, 2, 3, 4, 5),
written AS (
  INSERT INTO ${s}.delivery_counts AS c ("interval", starts_at, ${[...KEY, ...COUNTS].join(', ')})
  SELECT 'hour', $1::timestamptz, ${[...KEY, ...COUNTS].join(', ')} FROM counted
  ORDER BY ${KEY.join(', ')}
  ${UPSERT})
INSERT INTO ${s}.counted_hours AS c (hour, attempts, counted_at)
SELECT $1::timestamptz, COALESCE(sum(attempts), 0), $2::timestamptz FROM counted
ON CONFLICT (hour) DO UPDATE SET attempts = GREATEST(c.attempts, excluded.attempts),
  counted_at = GREATEST(c.counted_at, excluded.counted_at)`,
  COUNT_LIMIT_MS,
);
const sumDay = statement(
  'pm_counts_day_v1',
  (s) => `INSERT INTO ${s}.delivery_counts AS c
    ("interval", starts_at, ${[...KEY, ...COUNTS].join(', ')})
  SELECT 'day', $1::timestamptz, ${KEY.join(', ')}, ${COUNTS.map((name) => `sum(${name})`).join(', ')}
  FROM ${s}.delivery_counts WHERE "interval" = 'hour' AND attempts > 0
    AND starts_at >= $1::timestamptz AND starts_at < $1::timestamptz + interval '24 hours'
  GROUP BY ${KEY.join(', ')} ORDER BY ${KEY.join(', ')}
  ${UPSERT}`,
  COUNT_LIMIT_MS,
);
const markUnchanged = statement(
  'pm_counts_unchanged_v1',
  (s) => `INSERT INTO ${s}.counted_hours AS c (hour, attempts, counted_at)
  SELECT hour, 0, $2::timestamptz FROM unnest($1::timestamptz[]) AS n (hour) ORDER BY hour
  ON CONFLICT (hour) DO UPDATE SET counted_at = GREATEST(c.counted_at, excluded.counted_at)`,
);
const purge = statement(
  'pm_counts_purge_v1',
  (s) => `WITH old AS (
  DELETE FROM ${s}.delivery_counts WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM ${s}.delivery_counts
    WHERE "interval" = $1 AND starts_at < $2::timestamptz AND attempts > 0
    ORDER BY starts_at LIMIT $3 FOR UPDATE SKIP LOCKED)) RETURNING 1),
hours AS (DELETE FROM ${s}.counted_hours WHERE $1 = 'hour' AND hour < $2::timestamptz)
SELECT count(*)::integer AS rows FROM old`,
);

/** See `DeliveryQueue.countAttempts`. */
export async function countAttempts(session: Session, now: Date): Promise<boolean> {
  const { rows } = await session.query<StaleHour>(stale, [now]);
  const grown = rows.filter(({ logged, counted }) => logged === null || logged > (counted ?? 0n));
  const unchanged = rows.filter((each) => !grown.includes(each)).map(({ hour }) => hour);
  if (unchanged.length > 0) await session.query(markUnchanged, [unchanged, now]);
  const days = new Set(grown.map(({ hour }) => Math.floor(hour.getTime() / DAY_MS)));
  for (const day of days) {
    const hours = grown.filter(({ hour }) => Math.floor(hour.getTime() / DAY_MS) === day);
    const counted = await countDay(session, { day, hours, now });
    // Another process counts at this moment.
    if (!counted) return false;
  }
  return rows.length === MAX_HOURS;
}

/** See `DeliveryQueue.purgeCounts`. */
export async function purgeCounts(
  session: Session,
  {
    interval,
    before,
    limit,
  }: {
    readonly interval: CountFilter['interval'];
    readonly before: Date;
    readonly limit: number;
  },
): Promise<number> {
  const { rows } = await inTransaction(session, (inner) =>
    inner.query<{ rows: number }>(purge, [interval, before, limit]),
  );
  return rows[0]?.rows ?? 0;
}

/**
 * Hours and the day they belong to, in one transaction. Only one process does this at a time: a day
 * that is summed beside an hour that is not committed yet would lack it.
 * @returns false if another process does it
 */
function countDay(
  session: Session,
  {
    day,
    hours,
    now,
  }: { readonly day: number; readonly hours: readonly StaleHour[]; readonly now: Date },
): Promise<boolean> {
  return inTransaction(session, async (inner) => {
    const { rows } = await inner.query<{ alone: boolean }>(isAlone, []);
    if (rows[0]?.alone !== true) return false;
    await inner.plain(`SET LOCAL statement_timeout = ${COUNT_LIMIT_MS}; SET LOCAL jit = off`);
    for (const { hour } of hours) await inner.query(countHour, [hour, now]);
    await inner.query(sumDay, [new Date(day * DAY_MS)]);
    return true;
  });
}
