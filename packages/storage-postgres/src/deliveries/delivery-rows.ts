import type { DeliveryQueue, WaitingAttempt } from '@paymount/core/events';
import { noCrashPoint } from '@paymount/core/kernel';
import type { ChangePorts } from '../changes/execute-change.ts';
import { whyRefused } from '../connection/sql-errors.ts';
import { statement } from '../connection/statement.ts';
import { whyNoTables } from '../schema/describe-denied.ts';
import type { Session } from '../transaction/session.ts';
import { rerun } from '../transaction/transaction.ts';
import { applyStatuses, recheckStatuses } from './apply-statuses.ts';
import { ATTEMPT_NAMES, attemptArrays, attemptValues } from './attempt-columns.ts';
import { countAttempts, purgeCounts } from './attempt-counts.ts';
import { createPartitions, dropPartitions } from './attempt-partitions.ts';
import { claimById } from './claim-by-id.ts';
import { claimDue } from './claim-rows.ts';
import { closeAttempts, withPartitions } from './close-attempts.ts';
import { changeLanes } from './lane-rows.ts';
import { NO_LEASE } from './lease-rows.ts';
import { findLockHolders } from './lock-holders.ts';
import { findOverdue } from './overdue-rows.ts';
import { PendingFloor } from './pending-floor.ts';
import { NOW } from './pending-rows.ts';
import { purgeDeliveries } from './purge-deliveries.ts';

/** The answer of an earlier try may not have arrived. */
const log = statement(
  'pm_deliveries_log_v2',
  (s) => `INSERT INTO ${s}.delivery_attempts (outcome, ${ATTEMPT_NAMES.join(', ')})
    SELECT * FROM unnest($1::text[], ${attemptArrays(2)}) ON CONFLICT DO NOTHING`,
);
/** A row that somebody else has locked keeps its lease, which ends soon. */
const release = statement(
  'pm_deliveries_release_v2',
  (s) => `UPDATE ${s}.deliveries SET ${NO_LEASE} WHERE id = ANY (ARRAY(
    SELECT id FROM ${s}.deliveries
    WHERE id = ANY ($2::text[]) AND lease_token = $1 AND state = 'pending'
    ORDER BY id FOR NO KEY UPDATE SKIP LOCKED))`,
);
const renew = statement(
  'pm_deliveries_renew_v1',
  (s) => `UPDATE ${s}.deliveries SET lease_until = ${NOW} + $4::double precision * interval '1 ms'
  WHERE id = ANY (ARRAY(
    SELECT d.id FROM unnest($2::text[], $3::text[]) AS n (id, token)
    JOIN ${s}.deliveries d ON d.id = n.id AND d.lease_token = n.token
    WHERE d.id = ANY ($2::text[]) AND d.state = 'pending'
    ORDER BY d.id FOR NO KEY UPDATE OF d SKIP LOCKED))`,
);
/** Each is looked up by itself, and its state is a column, as in a claim by id. */
const findWaiting = statement(
  'pm_deliveries_waiting_v1',
  (s) => `SELECT n.id, n.attempt
    FROM (SELECT *, 'pending' AS state FROM unnest($1::text[], $2::smallint[]) AS n (id, attempt)) n
    CROSS JOIN LATERAL (SELECT FROM ${s}.deliveries d
      WHERE d.id = n.id AND d.attempt = n.attempt AND d.state = n.state LIMIT 1) d`,
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
    close: (results, decide, { skipsLocked } = { skipsLocked: false }) =>
      closeAttempts(session, ports, { results, decide, skipsLocked }),
    whyNever: whyRefused,
    async renewLeases(leases, lengthMs) {
      const ids = leases.map(({ id }) => id);
      const tokens = leases.map(({ leaseToken }) => leaseToken);
      await session.query(renew, [clock.shiftMs, ids, tokens, lengthMs]);
    },
    findLockHolders: (of) => findLockHolders(session, of),
    async findWaiting(attempts) {
      const values = [attempts.map(({ id }) => id), attempts.map(({ attempt }) => attempt)];
      return (await session.query<WaitingAttempt>(findWaiting, values)).rows;
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
