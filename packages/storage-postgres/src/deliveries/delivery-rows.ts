import type {
  AttemptRecord,
  CloseAttempt,
  ClosedAttempt,
  DecideOnFailing,
  DeliveryQueue,
} from '@paymount/core/events';
import type { DeliveryId } from '@paymount/core/kernel';
import { noCrashPoint } from '@paymount/core/kernel';
import type { ChangePorts } from '../changes/execute-change.ts';
import { isSqlError } from '../connection/sql-errors.ts';
import { type Statement, statement } from '../connection/statement.ts';
import { endStreaks, keepStreaks, toStreaks } from '../endpoints/endpoint-streaks.ts';
import { whyNoTables } from '../schema/describe-denied.ts';
import type { Session } from '../transaction/session.ts';
import { inTransaction, rerun } from '../transaction/transaction.ts';
import { applyStatuses, recheckStatuses } from './apply-statuses.ts';
import { ATTEMPT_NAMES, attemptArrays, attemptValues, BLANK_CONTENT } from './attempt-columns.ts';
import { countAttempts, purgeCounts } from './attempt-counts.ts';
import {
  createPartitions,
  dropPartitions,
  isMissingPartition,
  type PartitionPorts,
} from './attempt-partitions.ts';
import { claimById } from './claim-by-id.ts';
import { claimDue } from './claim-rows.ts';
import { changeLanes } from './lane-rows.ts';
import { findOverdue } from './overdue-rows.ts';
import { PendingFloor } from './pending-floor.ts';
import { NOW } from './pending-rows.ts';
import { purgeDeliveries } from './purge-deliveries.ts';

interface ClosedRow {
  readonly id: DeliveryId;
  readonly attempt: number;
  readonly closed: boolean;
  readonly due_at: Date | null;
}

/**
 * A column of a logged attempt. If its event was expunged during the attempt, the result is
 * superseded, and its content is left out. Only then is the event read; it is locked, because the
 * snapshot of the statement may be older.
 */
function loggedSql(s: string, name: string): string {
  const blank = BLANK_CONTENT[name];
  if (blank === undefined) return `n.${name}`;
  return `CASE WHEN c.id IS NULL AND (SELECT v.expunged_at FROM ${s}.events v
      WHERE v.account_id = n.account_id AND v.livemode = n.livemode AND v.id = n.event_id
      FOR SHARE) IS NOT NULL THEN ${blank} ELSE n.${name} END`;
}

const NO_LEASE = 'lease_token = NULL, leased_at = NULL, lease_until = NULL';
const CLOSE_FIRST = 7;

/**
 * `$2`-`$6`: outcome, next state, number of the next attempt, its wait, and how long ago the
 * attempt ended. A result that closes no row is logged as `superseded`. Whatever statistics say,
 * the rows are found by the primary key, because of `ANY`, and not compared with every result,
 * because the state is a column: of a constant, statistics may say that no row has it. The last
 * parameter names endpoints that all succeeded.
 */
const closeSql = (s: string, onRepeat = ''): string => `WITH n AS MATERIALIZED (
  SELECT *, 'pending' AS state FROM unnest($2::text[], $3::text[], $4::smallint[], $5::double precision[],
    $6::double precision[], ${attemptArrays(CLOSE_FIRST)})
    AS n (outcome, next, next_attempt, retry_ms, ended_ago_ms, ${ATTEMPT_NAMES.join(', ')})),
closed AS (
  UPDATE ${s}.deliveries d SET ${NO_LEASE},
    state = n.next, attempt = n.next_attempt,
    last_status = n.response_status, last_error = n.error_code, send_errors = 0,
    due_at = CASE WHEN n.next = 'pending'
      THEN ${NOW} + (n.retry_ms - n.ended_ago_ms) * interval '1 ms' ELSE d.due_at END,
    finished_at = CASE WHEN n.next <> 'pending' THEN ${NOW} - n.ended_ago_ms * interval '1 ms' END
  FROM n WHERE d.id = ANY ($${CLOSE_FIRST + ATTEMPT_NAMES.indexOf('delivery_id')}::text[])
    AND d.id = n.delivery_id AND d.attempt = n.attempt AND d.state = n.state
  RETURNING d.id, n.attempt, CASE WHEN d.state = 'pending' THEN d.due_at END AS due_at),
logged AS (
  INSERT INTO ${s}.delivery_attempts (${ATTEMPT_NAMES.join(', ')}, outcome)
  SELECT ${ATTEMPT_NAMES.map((name) => loggedSql(s, name)).join(', ')},
    CASE WHEN c.id IS NULL THEN 'superseded' ELSE n.outcome END
  FROM n LEFT JOIN closed c ON c.id = n.delivery_id AND c.attempt = n.attempt${onRepeat}),
${endStreaks(s, `$${CLOSE_FIRST + ATTEMPT_NAMES.length}`)}
SELECT n.delivery_id AS id, n.attempt, c.id IS NOT NULL AS closed, c.due_at
FROM n LEFT JOIN closed c ON c.id = n.delivery_id AND c.attempt = n.attempt`;
const close = statement('pm_deliveries_close_v4', (s) => closeSql(s));
/** For results of which some are logged already: the answer of an earlier try did not arrive. */
const closeAgain = statement('pm_deliveries_close_again_v3', (s) =>
  closeSql(s, '\n  ON CONFLICT DO NOTHING'),
);
/** The answer of an earlier try may not have arrived. */
const log = statement(
  'pm_deliveries_log_v2',
  (s) => `INSERT INTO ${s}.delivery_attempts (outcome, ${ATTEMPT_NAMES.join(', ')})
    SELECT * FROM unnest($1::text[], ${attemptArrays(2)}) ON CONFLICT DO NOTHING`,
);
const release = statement(
  'pm_deliveries_release_v1',
  (s) => `UPDATE ${s}.deliveries SET ${NO_LEASE}
    WHERE id = ANY ($2::text[]) AND lease_token = $1 AND state = 'pending'`,
);
/** After the third failure in a row to sign, a person must act. */
const postpone = statement(
  'pm_deliveries_postpone_v2',
  (s) => `UPDATE ${s}.deliveries SET ${NO_LEASE}, send_errors = send_errors + $5::smallint,
    due_at = ${NOW} + $4::double precision * interval '1 ms',
    state = CASE WHEN send_errors + $5 < 3 THEN 'pending' ELSE 'failed' END,
    last_error = CASE WHEN send_errors + $5 < 3 THEN last_error ELSE 'unsendable' END,
    finished_at = CASE WHEN send_errors + $5 < 3 THEN NULL ELSE ${NOW} END
  WHERE id = ANY ($3::text[]) AND lease_token = $2 AND state = 'pending'`,
);

/**
 * The storage of the delivery engine.
 * @param ports the offset of its clock is added to the database's time if a call passes no time
 */
export function deliveryRows(session: Session, ports: ChangePorts): DeliveryQueue {
  const { clock, crashPoint } = ports;
  const partitions = { session, crashPoint };
  const floors = { event: new PendingFloor('event'), replay: new PendingFloor('replay') };
  return {
    async claimDue(claim) {
      const { floor, overdueMs } = await floors[claim.origin].advance(session, claim.shiftMs);
      if (overdueMs === undefined || overdueMs < claim.graceMs) return { deliveries: [] };
      return rerun(() => claimDue(session, claim, floor));
    },
    claimById: (claim) => rerun(() => claimById(session, claim)),
    async close(results, decide) {
      const { first, again } = splitRepeated(results);
      const closed = await closeAll(session, ports, { results: first, decide });
      return [...closed, ...(await closeAll(session, ports, { results: again, decide }))];
    },
    async recordAbandoned(records) {
      if (records.length === 0) return;
      const values = [records.map(({ outcome }) => outcome), ...attemptValues(records)];
      await withPartitions(partitions, records, () => session.query(log, values));
    },
    async release(leaseToken, ids) {
      await session.query(release, [leaseToken, ids]);
    },
    async postpone(leaseToken, ids, { ms, broken }) {
      await session.query(postpone, [clock.shiftMs, leaseToken, ids, ms, broken ? 1 : 0]);
    },
    applyStatuses: (limit, crashPoint = noCrashPoint) =>
      applyStatuses(session, { shiftMs: clock.shiftMs, limit, crashPoint }),
    recheckStatuses: () => recheckStatuses(session),
    changeLanes: (lanes) => changeLanes(session, lanes),
    async databaseTime() {
      const { rows } = await session.plain<{ now: Date }>('SELECT clock_timestamp() AS now', []);
      const [row] = rows;
      if (row === undefined) throw new Error('PostgreSQL did not tell the time.');
      return row.now;
    },
    async overdueMs(shiftMs) {
      const { floor, overdueMs } = await floors.event.advance(session, shiftMs);
      if (overdueMs === undefined || overdueMs < 0) return { fast: 0, slow: 0 };
      return findOverdue(session, shiftMs, floor);
    },
    createPartitions: (now, daysAhead) => createPartitions(partitions, now, daysAhead),
    dropPartitions: (before) => dropPartitions(partitions, before),
    purge: (walk) => purgeDeliveries(session, walk),
    countAttempts: (now) => countAttempts(session, now),
    purgeCounts: (interval, before, limit) => purgeCounts(session, { interval, before, limit }),
    whyNoPartitions: () => whyNoTables(session),
  };
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
  {
    results,
    decide,
  }: { readonly results: readonly CloseAttempt[]; readonly decide: DecideOnFailing },
): Promise<readonly ClosedAttempt[]> {
  if (results.length === 0) return [];
  // Two processes that close the same rows lock them in the same order.
  const ordered = results.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const records = ordered.map(({ record }) => record);
  const values = [
    ports.clock.shiftMs,
    ordered.map(({ record }) => record.outcome),
    ordered.map(({ verdict }) => (verdict.next === 'retry' ? 'pending' : verdict.next)),
    ordered.map(({ verdict, attempt }) => (verdict.next === 'retry' ? verdict.attempt : attempt)),
    ordered.map(({ verdict }) => (verdict.next === 'retry' ? verdict.waitMs : 0)),
    ordered.map(({ endedAgoMs }) => endedAgoMs),
    ...attemptValues(records),
  ];
  const streaks = toStreaks(results);
  const run = (of: Statement) =>
    streaks.some(({ failed }) => failed)
      ? inTransaction(session, async (inner) => {
          const closed = await inner.query<ClosedRow>(of, [...values, []]);
          await keepStreaks(inner, ports, { streaks, decide });
          return closed;
        })
      : rerun(() => session.query<ClosedRow>(of, [...values, streaks.map(({ id }) => id)]));
  const { rows } = await withPartitions({ session, crashPoint: ports.crashPoint }, records, () =>
    run(close).catch((error: unknown) => {
      if (!isLoggedAlready(error)) throw error;
      return run(closeAgain);
    }),
  );
  return rows.map(({ id, attempt, closed, due_at }) => ({
    id,
    attempt,
    closed,
    ...(due_at !== null && { dueAt: due_at }),
  }));
}

function isLoggedAlready(error: unknown): boolean {
  return isSqlError(error) && error.code === '23505';
}

/** The log has a partition per day. A missing one is created on the first insert that needs it. */
async function withPartitions<Result>(
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
