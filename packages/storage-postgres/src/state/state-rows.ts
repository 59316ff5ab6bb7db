import type { PayoutObstacle } from '@paymount/core/payments';
import type { StateReader } from '@paymount/core/store';
import { statement } from '../connection/statement.ts';
import type { Session } from '../transaction/session.ts';
import { countDueSubscriptions } from './due-subscriptions.ts';
import { inspect } from './inspect.ts';

interface StateRow {
  readonly days_ahead: number | null;
  readonly missing_days: readonly string[] | null;
  readonly mails: string;
  readonly mails_since: Date | null;
  readonly mails_given_up: string;
  readonly enabled_fast: string;
  readonly enabled_slow: string;
  readonly disabled_fast: string;
  readonly disabled_slow: string;
  readonly failing: string;
}

const NO_LOG = -1;

/**
 * A partition is named for its day: `delivery_attempts_20261123`. Days behind a missing one do not
 * count as ready.
 */
const read = statement(
  'pm_state_read_v5',
  (s) => `WITH parts AS (SELECT to_date(right(c.relname, 8), 'YYYYMMDD') AS day
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = '${s}.delivery_attempts'::regclass AND c.relname ~ '_[0-9]{8}$'),
  today AS (SELECT ($1::timestamptz AT TIME ZONE 'UTC')::date AS day),
  missing AS (SELECT g.day::date FROM today CROSS JOIN LATERAL
      generate_series(today.day::timestamp, (SELECT max(p.day) FROM parts p)::timestamp, '1 day') g (day)
    WHERE NOT EXISTS (SELECT FROM parts p WHERE p.day = g.day::date))
  SELECT
    COALESCE((SELECT min(n.day) FROM missing n) - 1, (SELECT max(p.day) FROM parts p))
      - (SELECT today.day FROM today) AS days_ahead,
    (SELECT array_agg(to_char(n.day, 'YYYY-MM-DD') ORDER BY n.day) FROM missing n) AS missing_days,
    m.mails, m.mails_since, g.mails_given_up, e.*
  FROM (SELECT count(*) AS mails, min(created) AS mails_since FROM ${s}.mails
      WHERE sent_at IS NULL AND failed_at IS NULL
        AND created >= $1::timestamptz - interval '7 days') m,
    (SELECT count(*) AS mails_given_up FROM ${s}.mails
     WHERE failed_at > $1::timestamptz - interval '1 day'
       AND created >= $1::timestamptz - interval '9 days') g,
    (SELECT count(*) FILTER (WHERE status = 'enabled' AND lane = 'fast') AS enabled_fast,
      count(*) FILTER (WHERE status = 'enabled' AND lane = 'slow') AS enabled_slow,
      count(*) FILTER (WHERE status = 'disabled' AND lane = 'fast') AS disabled_fast,
      count(*) FILTER (WHERE status = 'disabled' AND lane = 'slow') AS disabled_slow,
      count(*) FILTER (WHERE status = 'enabled' AND failing_since IS NOT NULL) AS failing
     FROM ${s}.webhook_endpoints WHERE status <> 'deleted') e`,
);

const countWaitingPayouts = statement(
  'pm_state_waiting_payouts_v1',
  // The index `payout_runs_waiting` has no others.
  (s) => `SELECT livemode, waits_for, count(*)::integer AS count FROM ${s}.payout_runs
    WHERE waits_for IS NOT NULL GROUP BY livemode, waits_for`,
);

interface WaitingRow {
  readonly livemode: boolean;
  readonly waits_for: PayoutObstacle;
  readonly count: number;
}

/** What the tables say about the state of the installation. */
export function stateReader(session: Session): StateReader {
  return {
    async read(now) {
      const [row] = (await session.query<StateRow>(read, [now])).rows;
      if (row === undefined) throw new Error('PostgreSQL returned no state.');
      return {
        logDaysAhead: row.days_ahead ?? NO_LOG,
        missingLogDays: row.missing_days ?? [],
        mails: {
          waiting: Number(row.mails),
          ...(row.mails_since !== null && { since: row.mails_since }),
          givenUp: Number(row.mails_given_up),
        },
        endpoints: {
          enabled: { fast: Number(row.enabled_fast), slow: Number(row.enabled_slow) },
          disabled: { fast: Number(row.disabled_fast), slow: Number(row.disabled_slow) },
          failing: Number(row.failing),
        },
      };
    },
    async countWaitingPayouts() {
      const { rows } = await session.query<WaitingRow>(countWaitingPayouts, []);
      const countsOf = (isLive: boolean) =>
        Object.fromEntries(
          rows
            .filter(({ livemode }) => livemode === isLive)
            .map(({ waits_for: obstacle, count }) => [obstacle, count]),
        );
      return { live: countsOf(true), test: countsOf(false) };
    },
    countDueSubscriptions: (now) => countDueSubscriptions(session, now),
    inspect: () => inspect(session),
  };
}
