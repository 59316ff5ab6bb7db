import type {
  AttemptRecord,
  CloseAttempt,
  ClosedAttempt,
  DecideOnFailing,
} from '@paymount/core/events';
import type { DeliveryId } from '@paymount/core/kernel';
import type { ChangePorts } from '../changes/execute-change.ts';
import { isLockedOut, isSqlError } from '../connection/sql-errors.ts';
import { type Statement, statement } from '../connection/statement.ts';
import {
  decideOn,
  type EndpointStreak,
  endStreaks,
  keepStreaks,
  toStreaks,
} from '../endpoints/endpoint-streaks.ts';
import type { Session } from '../transaction/session.ts';
import { inTransaction, rerun } from '../transaction/transaction.ts';
import { ATTEMPT_NAMES, attemptArrays, attemptValues, BLANK_CONTENT } from './attempt-columns.ts';
import { createPartitions, isMissingPartition, type PartitionPorts } from './attempt-partitions.ts';
import { NO_LEASE } from './lease-rows.ts';
import { NOW } from './pending-rows.ts';

interface ClosedRow {
  readonly id: DeliveryId;
  readonly attempt: number;
  readonly closed: boolean;
  readonly due_at: Date | null;
}

/** Which statement closes a batch. */
interface Manner {
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
function loggedSql(s: string, name: string, skipsLocked: boolean): string {
  const blank = BLANK_CONTENT[name];
  if (blank === undefined) return `n.${name}`;
  const expungedAt = skipsLocked
    ? 'o.expunged_at'
    : `(SELECT v.expunged_at FROM ${eventSql(s)} FOR SHARE)`;
  return `CASE WHEN c.id IS NULL AND ${expungedAt} IS NOT NULL THEN ${blank} ELSE n.${name} END`;
}

const eventSql = (s: string): string => `${s}.events v
      WHERE v.account_id = n.account_id AND v.livemode = n.livemode AND v.id = n.event_id`;

/** The events of superseded results; `is_locked` are those that another transaction has locked. */
const eventsSql = (s: string): string => `outdated AS MATERIALIZED (
  SELECT n.delivery_id, n.attempt, f.expunged_at,
    f.id IS NULL AND EXISTS (SELECT FROM ${eventSql(s)}) AS is_locked
  FROM n LEFT JOIN closed c ON c.id = n.delivery_id AND c.attempt = n.attempt
  LEFT JOIN LATERAL (SELECT v.id, v.expunged_at FROM ${eventSql(s)} FOR SHARE SKIP LOCKED) f ON true
  WHERE c.id IS NULL),
`;
const JOIN_EVENTS = `
  LEFT JOIN outdated o ON o.delivery_id = n.delivery_id AND o.attempt = n.attempt`;
const UNLOCKED = '\n  WHERE o.is_locked IS NOT TRUE';

const CLOSE_FIRST = 7;
const DELIVERIES = `$${CLOSE_FIRST + ATTEMPT_NAMES.indexOf('delivery_id')}::text[]`;
const [ENDPOINTS, URLS] = [0, 1].map((at) => `$${CLOSE_FIRST + ATTEMPT_NAMES.length + at}`);
/** Whatever it waits for, all other results wait too: then the locked ones are passed over. */
const LOCK_LIMIT_MS = 500;

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
const dueSince = (s: string): string => `COALESCE(c.due_at, CASE WHEN b.id IS NOT NULL THEN (
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
const closeSql = (s: string, { isAgain, skipsLocked }: Manner): string => `WITH settings AS (
  SELECT set_config('lock_timeout', '${LOCK_LIMIT_MS}', true) AS set),
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
${skipsLocked ? eventsSql(s) : ''}logged AS (
  INSERT INTO ${s}.delivery_attempts (${ATTEMPT_NAMES.join(', ')}, outcome)
  SELECT ${ATTEMPT_NAMES.map((name) => loggedSql(s, name, skipsLocked)).join(', ')},
    CASE WHEN c.id IS NULL THEN 'superseded' ELSE n.outcome END
  FROM n LEFT JOIN closed c ON c.id = n.delivery_id AND c.attempt = n.attempt${
    skipsLocked ? JOIN_EVENTS + UNLOCKED : ''
  }${isAgain ? '\n  ON CONFLICT DO NOTHING' : ''})
SELECT n.delivery_id AS id, n.attempt, c.id IS NOT NULL${isAgain ? ' OR b.id IS NOT NULL' : ''} AS closed,
  ${isAgain ? dueSince(s) : 'c.due_at'} AS due_at
FROM n LEFT JOIN closed c ON c.id = n.delivery_id AND c.attempt = n.attempt${
  isAgain ? loggedBefore(s) : ''
}${skipsLocked ? JOIN_EVENTS + UNLOCKED : ''}`;

const closing = (name: `pm_${string}`, manner: Manner): Statement =>
  statement(name, (s) => closeSql(s, manner));
const FIRST = {
  waiting: closing('pm_deliveries_close_v5', { isAgain: false, skipsLocked: false }),
  skipping: closing('pm_deliveries_close_free_v2', { isAgain: false, skipsLocked: true }),
};
const AGAIN = {
  waiting: closing('pm_deliveries_close_again_v4', { isAgain: true, skipsLocked: false }),
  skipping: closing('pm_deliveries_close_again_free_v2', { isAgain: true, skipsLocked: true }),
};

/** What closes a batch, and decides on endpoints that fail. */
export interface Closing {
  readonly results: readonly CloseAttempt[];
  readonly decide: DecideOnFailing;
  readonly skipsLocked: boolean;
}

/**
 * Records results; see `DeliveryQueue.close`. Those that wait for a lock of another transaction are
 * missing from what it returns.
 */
export async function closeAttempts(
  session: Session,
  ports: ChangePorts,
  closing: Closing,
): Promise<readonly ClosedAttempt[]> {
  const { first, again } = splitRepeated(closing.results);
  const closed = await closeAll(session, ports, { ...closing, results: first });
  return [...closed, ...(await closeAll(session, ports, { ...closing, results: again }))];
}

/**
 * A process that was blocked beyond its lease can have two results of one attempt. In one
 * statement, both would be logged as if each had closed the row. So the second is written after the
 * first.
 */
function splitRepeated(results: readonly CloseAttempt[]): {
  readonly first: readonly CloseAttempt[];
  readonly again: readonly CloseAttempt[];
} {
  const seen = new Set<string>();
  const first: CloseAttempt[] = [];
  const again: CloseAttempt[] = [];
  for (const result of results) {
    const name = `${result.id} ${result.attempt}`;
    (seen.has(name) ? again : first).push(result);
    seen.add(name);
  }
  return { first, again };
}

async function closeAll(
  session: Session,
  ports: ChangePorts,
  { results, decide, skipsLocked }: Closing,
): Promise<readonly ClosedAttempt[]> {
  if (results.length === 0) return [];
  // Two processes that close the same rows lock them in the same order.
  const ordered = results.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const streaks = toStreaks(results);
  const run = (of: Statement): Promise<readonly ClosedRow[]> =>
    streaks.some(({ failed }) => failed)
      ? closeWithFailures(session, ports, { of, ordered, streaks, decide })
      : rerun(async () => {
          const values = toValues(ports, ordered, streaks);
          return (await session.query<ClosedRow>(of, values)).rows;
        });
  const records = ordered.map(({ record }) => record);
  const rows = await withPartitions({ session, crashPoint: ports.crashPoint }, records, () =>
    inSomeManner(run, { isAgain: false, skipsLocked }),
  );
  return rows.map(({ id, attempt, closed, due_at }) => ({
    id,
    attempt,
    closed,
    ...(due_at !== null && { dueAt: due_at }),
  }));
}

/** The streaks first: of endpoints that are locked, nothing may be recorded. */
function closeWithFailures(
  session: Session,
  ports: ChangePorts,
  {
    of,
    ordered,
    streaks,
    decide,
  }: {
    readonly of: Statement;
    readonly ordered: readonly CloseAttempt[];
    readonly streaks: readonly EndpointStreak[];
    readonly decide: DecideOnFailing;
  },
): Promise<readonly ClosedRow[]> {
  return inTransaction(session, async (inner) => {
    const { held, due } = await keepStreaks(inner, streaks);
    const free = ordered.filter(({ record }) => !held.has(record.endpointId));
    if (free.length === 0) return [];
    const { rows } = await inner.query<ClosedRow>(of, toValues(ports, free, []));
    const recorded = new Set(rows.map(({ id }) => id));
    for (const streak of due) {
      const isRecorded = streak.failed?.of.some((id) => recorded.has(id));
      if (isRecorded) await decideOn(inner, ports, { streak, decide });
    }
    return rows;
  });
}

/** What another transaction has locked is waited for once, and then passed over. */
async function inSomeManner(
  run: (of: Statement) => Promise<readonly ClosedRow[]>,
  manner: Manner,
): Promise<readonly ClosedRow[]> {
  const { waiting, skipping } = manner.isAgain ? AGAIN : FIRST;
  try {
    return await run(manner.skipsLocked ? skipping : waiting);
  } catch (error) {
    if (!manner.isAgain && isLoggedAlready(error)) {
      return inSomeManner(run, { ...manner, isAgain: true });
    }
    if (!manner.skipsLocked && isLockedOut(error)) {
      return inSomeManner(run, { ...manner, skipsLocked: true });
    }
    throw error;
  }
}

/** @param accepted endpoints that all succeeded */
function toValues(
  { clock }: Pick<ChangePorts, 'clock'>,
  results: readonly CloseAttempt[],
  accepted: readonly EndpointStreak[],
): unknown[] {
  return [
    clock.shiftMs,
    results.map(({ record }) => record.outcome),
    results.map(({ verdict }) => (verdict.next === 'retry' ? 'pending' : verdict.next)),
    results.map(({ verdict, attempt }) => (verdict.next === 'retry' ? verdict.attempt : attempt)),
    results.map(({ verdict }) => (verdict.next === 'retry' ? verdict.waitMs : 0)),
    results.map(({ endedAgoMs }) => endedAgoMs),
    ...attemptValues(results.map(({ record }) => record)),
    accepted.map(({ id }) => id),
    accepted.map(({ url }) => url),
  ];
}

function isLoggedAlready(error: unknown): boolean {
  return isSqlError(error) && error.code === '23505';
}

/** The log has a partition per day. A missing one is created on the first insert that needs it. */
export async function withPartitions<Result>(
  ports: PartitionPorts,
  records: readonly AttemptRecord[],
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isMissingPartition(error)) throw error;
    for (const { startedAt } of records) await createPartitions(ports, startedAt, 0);
    return work();
  }
}
