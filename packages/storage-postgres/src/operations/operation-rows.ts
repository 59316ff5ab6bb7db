import type { ChargeId } from '@paymount/core/kernel';
import { livemode } from '@paymount/core/kernel';
import {
  OPERATION_DEADLINE_MS,
  type Operation,
  type OperationQueue,
  type OperationRepository,
} from '@paymount/core/payments';
import { type Statement, statement } from '../connection/statement.ts';
import { noHookIn } from '../hook-use/hook-use-rows.ts';
import { columnNames, due, fixed, type Table } from '../shared/columns.ts';
import { facts, type StoredRow } from '../shared/facts-of-row.ts';
import type { Session } from '../transaction/session.ts';

const operationFacts = facts<Omit<Operation, 'rootId' | 'deadlineAt' | 'nextLookupAt'>>({
  kind: 'fixed text',
  subjectId: 'fixed text',
  testClockId: 'optional fixed text',
  processor: 'fixed text',
  attempt: 'integer',
  amount: 'fixed bigint',
  currency: 'fixed text',
  state: 'text',
  expectedBy: 'optional timestamptz',
  lookups: 'integer',
  notFounds: 'integer',
  processorReference: 'optional text',
  outcome: 'optional jsonb',
  reviewSince: 'optional timestamptz',
  idempotencyKey: 'optional text',
  answers: 'optional fixed text',
  requestId: 'fixed text',
  created: 'fixed timestamptz',
});

export const operationTable: Table<Operation> = {
  name: 'operations',
  code: 'o',
  columns: [
    ...operationFacts.columns,
    fixed('charge_id', 'text', (operation) => operation.rootId ?? null),
    due('deadline_at', (operation) => operation.deadlineAt),
    due('next_lookup_at', (operation) => operation.nextLookupAt ?? null),
  ],
};

export interface OperationRow extends StoredRow {
  readonly charge_id: ChargeId | null;
  readonly deadline_at: Date;
  readonly next_lookup_at: Date | null;
}

export const OPERATION_COLUMNS = columnNames(operationTable);
export const UNRESOLVED = "state IN ('created', 'sent', 'unknown', 'quarantined')";
const CLAIMABLE = "state IN ('created', 'sent', 'unknown')";
/** A test clock stands while one on it is so. */
const UNANSWERED = `${CLAIMABLE} AND (state <> 'unknown' OR outcome IS NOT NULL OR not_founds > 0)`;

/**
 * An expression: since when the processor has not answered about an operation on a test clock; null if
 * there is none. An unsent payout is sent by the clock itself, and one with an outcome waits for the hook.
 * @param s the schema's quoted name; `clock`: an expression for the id of the clock
 */
export const unansweredSince = (s: string, clock: string): string =>
  `(SELECT min(deadline_at) - ${OPERATION_DEADLINE_MS} * interval '1 ms' FROM ${s}.operations
    WHERE test_clock_id = ${clock} AND ${UNANSWERED} AND outcome IS NULL
      AND (state <> 'created' OR kind <> 'payout'))`;

const find = statement(
  'pm_operations_find_v5',
  (s) => `SELECT ${OPERATION_COLUMNS.join(', ')} FROM ${s}.operations
    WHERE account_id = $1 AND livemode = $2 AND id = $3`,
);
const findUnresolved = statement(
  'pm_operations_unresolved_v5',
  (s) => `SELECT ${OPERATION_COLUMNS.join(', ')} FROM ${s}.operations
    WHERE account_id = $1 AND livemode = $2 AND subject_id = $3 AND ${UNRESOLVED}`,
);
const findUnresolvedOnCharge = statement(
  'pm_operations_on_charge_v6',
  // A charge has few operations; a refund that cancels an authorization is of kind `cancel`.
  (s) => `SELECT ${OPERATION_COLUMNS.join(', ')} FROM ${s}.operations
    WHERE account_id = $1 AND livemode = $2 AND charge_id = $3 AND kind IN ('authorize', 'capture', 'cancel') AND ${UNRESOLVED}
    ORDER BY id LIMIT 1`,
);
const findUnansweredOn = statement(
  'pm_operations_unanswered_on_v3',
  (s) => `SELECT ${OPERATION_COLUMNS.join(', ')} FROM ${s}.operations
    WHERE test_clock_id = $1 AND ${UNANSWERED}
    ORDER BY id LIMIT 1`,
);
/** `$1` is the offset of business time from the database's time, in milliseconds. */
const NOW = "(statement_timestamp() + $1::double precision * interval '1 ms')";
const now = statement('pm_operations_now_v2', () => `SELECT ${NOW} AS now`);
const hastenOn = statement(
  'pm_operations_hasten_on_v2',
  (s) => `UPDATE ${s}.operations o SET next_lookup_at = date_trunc('milliseconds', ${NOW})
    FROM (SELECT account_id, livemode, id FROM ${s}.operations
      WHERE test_clock_id = $2 AND state = 'unknown' AND outcome IS NULL
      FOR NO KEY UPDATE SKIP LOCKED) asked
    WHERE (o.account_id, o.livemode, o.id) = (asked.account_id, asked.livemode, asked.id)`,
);
const claimDue = claimStatement('pm_operations_claim_v7', () => '');
/**
 * For a process without a hook: while a hook is in use, it leaves known outcomes to processes that
 * have it.
 */
const claimHookless = claimStatement(
  'pm_operations_claim_hookless_v4',
  (s) => `AND (outcome IS NULL OR ${noHookIn(s)})`,
);

function claimStatement(name: `pm_${string}`, condition: (s: string) => string): Statement {
  return statement(
    name,
    (s) => `UPDATE ${s}.operations o
    SET next_lookup_at = date_trunc('milliseconds', ${NOW} + $3::double precision * interval '1 ms')
    FROM (SELECT account_id, livemode, id FROM ${s}.operations
      WHERE livemode = $2 AND ${CLAIMABLE} AND COALESCE(next_lookup_at, deadline_at) <= ${NOW}
        ${condition(s)}
      ORDER BY COALESCE(next_lookup_at, deadline_at) LIMIT $4
      FOR NO KEY UPDATE SKIP LOCKED) due
    WHERE (o.account_id, o.livemode, o.id) = (due.account_id, due.livemode, due.id)
    RETURNING ${OPERATION_COLUMNS.map((column) => `o.${column}`).join(', ')}`,
  );
}

/**
 * Operations on PostgreSQL.
 * @param ports the offset of `clock` is added to the database's time; `hook`: whether this process
 * has one
 */
export function operationRows(
  session: Session,
  { clock, hook }: { readonly clock: { readonly shiftMs: number }; readonly hook?: unknown },
): OperationRepository & OperationQueue {
  const claim = hook === undefined ? claimHookless : claimDue;
  return {
    async find(owner, id) {
      const values = [owner.accountId, livemode(owner.environment), id];
      const [row] = (await session.query<OperationRow>(find, values)).rows;
      return row && toOperation(row);
    },
    async findUnresolved(owner, subjectId) {
      const values = [owner.accountId, livemode(owner.environment), subjectId];
      const [row] = (await session.query<OperationRow>(findUnresolved, values)).rows;
      return row && toOperation(row);
    },
    async findUnresolvedOnRoot(owner, rootId) {
      const values = [owner.accountId, livemode(owner.environment), rootId];
      const [row] = (await session.query<OperationRow>(findUnresolvedOnCharge, values)).rows;
      return row && toOperation(row);
    },
    async findUnansweredOn(clockId) {
      const [row] = (await session.query<OperationRow>(findUnansweredOn, [clockId])).rows;
      return row && toOperation(row);
    },
    async hastenOn(clockId) {
      await session.query(hastenOn, [clock.shiftMs, clockId]);
    },
    async now() {
      const { rows } = await session.query<{ now: Date }>(now, [clock.shiftMs]);
      const [row] = rows;
      if (row === undefined) throw new Error('PostgreSQL did not tell the time.');
      return row.now;
    },
    async claimDue({ environment, limit, leaseMs }) {
      const values = [clock.shiftMs, livemode(environment), leaseMs, limit];
      return (await session.query<OperationRow>(claim, values)).rows.map(toOperation);
    },
  };
}

/** The operation of a row. */
export function toOperation(row: OperationRow): Operation {
  return operationFacts.read(row, {
    deadlineAt: row.deadline_at,
    ...(row.charge_id && { rootId: row.charge_id }),
    ...(row.next_lookup_at && { nextLookupAt: row.next_lookup_at }),
  });
}
