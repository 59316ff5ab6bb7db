import { type Statement, statement } from '../connection/statement.ts';
import { endStreaks } from '../endpoints/endpoint-streaks.ts';
import { ATTEMPT_NAMES, attemptArrays, BLANK_CONTENT } from './attempt-columns.ts';
import { NO_LEASE } from './lease-rows.ts';
import { NOW } from './pending-rows.ts';

/** Which statement closes a batch. */
export interface Manner {
  /** Some results are logged already: the answer of an earlier try did not arrive. */
  readonly isAgain: boolean;
  /** Passes over deliveries that another transaction has locked. */
  readonly skipsLocked: boolean;
}

/**
 * A column of a logged attempt. If its event was expunged during the attempt, the result is
 * superseded, and its content is left out. Only then is the event read; it is locked, because the
 * snapshot of the statement may be older.
 */
function loggedSql(s: string, name: string, { id, expungedAt }: ResultsSql): string {
  const blank = BLANK_CONTENT[name];
  if (blank === undefined) return `n.${name}`;
  const at = expungedAt ?? `(SELECT v.expunged_at FROM ${eventSql(s)} FOR SHARE)`;
  return `CASE WHEN ${id} IS NULL AND ${at} IS NOT NULL THEN ${blank} ELSE n.${name} END`;
}

const eventSql = (s: string): string => `${s}.events v
      WHERE v.account_id = n.account_id AND v.livemode = n.livemode AND v.id = n.event_id`;

/** Where the statement reads its results with the rows that they closed. */
interface ResultsSql {
  readonly from: string;
  /** Of these rows. */
  readonly id: string;
  readonly dueAt: string;
  /** Of the event of a superseded result, if it was read already. */
  readonly expungedAt?: string;
}

const JOINED: ResultsSql = {
  from: 'n LEFT JOIN closed c ON c.id = n.delivery_id AND c.attempt = n.attempt',
  id: 'c.id',
  dueAt: 'c.due_at',
};
/** Read from a CTE: joined again, and without those that are locked, a plan may compare each with each. */
const FREE: ResultsSql = {
  from: '(SELECT * FROM results WHERE NOT is_locked) n',
  id: 'n.closed_id',
  dueAt: 'n.closed_due_at',
  expungedAt: 'n.expunged_at',
};
/**
 * The results with the events of those that are superseded; `is_locked` are those whose event another
 * transaction has locked.
 */
const resultsSql = (s: string): string => `results AS MATERIALIZED (
  SELECT n.*, c.id AS closed_id, c.due_at AS closed_due_at, f.expunged_at,
    c.id IS NULL AND f.id IS NULL AND (SELECT true FROM ${eventSql(s)} LIMIT 1) IS NOT NULL AS is_locked
  FROM ${JOINED.from}
  LEFT JOIN LATERAL (SELECT v.id, v.expunged_at FROM ${eventSql(s)} AND c.id IS NULL
    FOR SHARE SKIP LOCKED) f ON true),
`;

const CLOSE_FIRST = 7;
const DELIVERIES = `$${CLOSE_FIRST + ATTEMPT_NAMES.indexOf('delivery_id')}::text[]`;
const [ENDPOINTS, URLS] = [0, 1].map((at) => `$${CLOSE_FIRST + ATTEMPT_NAMES.length + at}`);
/** Whatever it waits for, all other results wait too: then the locked ones are passed over. */
const LOCK_LIMIT_MS = 500;
/** What cannot be passed over is waited for so long, and tried again shortly after. */
const SKIPPING_LOCK_LIMIT_MS = 50;

const busySql = (s: string): string => `busy AS MATERIALIZED (
  SELECT d.id FROM ${s}.deliveries d WHERE d.id = ANY (${DELIVERIES})
  EXCEPT SELECT f.id FROM (SELECT d.id FROM ${s}.deliveries d WHERE d.id = ANY (${DELIVERIES})
    ORDER BY d.id FOR NO KEY UPDATE SKIP LOCKED) f),
`;

/** What an earlier try logged, and whether that try closed the delivery. */
const loggedBefore = (s: string): string => `
LEFT JOIN LATERAL (SELECT b.id FROM ${s}.delivery_attempts b
  WHERE b.started_at = n.started_at AND b.id = n.id AND b.outcome = n.outcome
  ORDER BY b.started_at, b.id LIMIT 1) b ON true`;
const dueSince = (
  s: string,
  dueAt: string,
): string => `COALESCE(${dueAt}, CASE WHEN b.id IS NOT NULL THEN (
    SELECT d.due_at FROM ${s}.deliveries d
    WHERE d.id = n.delivery_id AND d.state = n.state AND d.attempt = n.next_attempt) END)`;

/**
 * `$2`-`$6`: outcome, next state, number of the next attempt, its wait, and how long ago the
 * attempt ended. A result that closes no row is logged as `superseded`. Whatever statistics say,
 * the rows are found by the primary key, because of `ANY`, and not compared with every result,
 * because the state is a column: of a constant, statistics may say that no row has it. The last
 * parameters name endpoints that all succeeded, and the URLs that accepted. Results of which the
 * endpoint is `held` (`endStreaks`), or the delivery `busy`, are left out: nothing is written of them. In a
 * CASE, so that no plan expects them to be almost all. Superseded results of which the event is locked
 * are left out too.
 */
const closeSql = (s: string, { isAgain, skipsLocked }: Manner): string => {
  const results = skipsLocked ? FREE : JOINED;
  return `WITH settings AS (
  SELECT set_config('lock_timeout', '${skipsLocked ? SKIPPING_LOCK_LIMIT_MS : LOCK_LIMIT_MS}', true) AS set),
${endStreaks(s, ENDPOINTS ?? '', URLS ?? '')},
${skipsLocked ? busySql(s) : ''}n AS MATERIALIZED (
  SELECT *, 'pending' AS state FROM unnest($2::text[], $3::text[], $4::smallint[], $5::double precision[],
    $6::double precision[], ${attemptArrays(CLOSE_FIRST)})
    AS n (outcome, next, next_attempt, retry_ms, ended_ago_ms, ${ATTEMPT_NAMES.join(', ')})
  WHERE CASE WHEN EXISTS (SELECT set FROM settings)
    THEN endpoint_id <> ALL (ARRAY(SELECT id FROM held))${
      skipsLocked ? ' AND delivery_id <> ALL (ARRAY(SELECT id FROM busy))' : ''
    } END),
closed AS (
  UPDATE ${s}.deliveries d SET ${NO_LEASE},
    state = n.next, attempt = n.next_attempt,
    last_status = n.response_status, last_error = n.error_code, send_errors = 0,
    due_at = CASE WHEN n.next = 'pending'
      THEN ${NOW} + (n.retry_ms - n.ended_ago_ms) * interval '1 ms' ELSE d.due_at END,
    finished_at = CASE WHEN n.next <> 'pending' THEN ${NOW} - n.ended_ago_ms * interval '1 ms' END
  FROM n WHERE d.id = ANY (${DELIVERIES})
    AND d.id = n.delivery_id AND d.attempt = n.attempt AND d.state = n.state
  RETURNING d.id, n.attempt, CASE WHEN d.state = 'pending' THEN d.due_at END AS due_at),
${skipsLocked ? resultsSql(s) : ''}logged AS (
  INSERT INTO ${s}.delivery_attempts (${ATTEMPT_NAMES.join(', ')}, outcome)
  SELECT ${ATTEMPT_NAMES.map((name) => loggedSql(s, name, results)).join(', ')},
    CASE WHEN ${results.id} IS NULL THEN 'superseded' ELSE n.outcome END
  FROM ${results.from}${isAgain ? '\n  ON CONFLICT DO NOTHING' : ''})
SELECT n.delivery_id AS id, n.attempt, ${results.id} IS NOT NULL${isAgain ? ' OR b.id IS NOT NULL' : ''} AS closed,
  ${isAgain ? dueSince(s, results.dueAt) : results.dueAt} AS due_at
FROM ${results.from}${isAgain ? loggedBefore(s) : ''}`;
};

const closing = (name: `pm_${string}`, manner: Manner): Statement =>
  statement(name, (s) => closeSql(s, manner));
const FIRST = {
  waiting: closing('pm_deliveries_close_v5', { isAgain: false, skipsLocked: false }),
  skipping: closing('pm_deliveries_close_free_v3', { isAgain: false, skipsLocked: true }),
};
const AGAIN = {
  waiting: closing('pm_deliveries_close_again_v4', { isAgain: true, skipsLocked: false }),
  skipping: closing('pm_deliveries_close_again_free_v3', { isAgain: true, skipsLocked: true }),
};

/** The statement that closes a batch; see `closeSql` for its values. */
export function closingStatement({ isAgain, skipsLocked }: Manner): Statement {
  const { waiting, skipping } = isAgain ? AGAIN : FIRST;
  return skipsLocked ? skipping : waiting;
}
