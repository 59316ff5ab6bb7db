import type {
  AccountId,
  ChargeId,
  Operation,
  OperationId,
  OperationRepository,
  RefundId,
  RequestId,
} from '@paymount/core';
import { environmentOf, livemode } from '@paymount/core';
import type { Session } from '../session.ts';
import { column, fixed, json, type Table } from '../shared/columns.ts';
import { present } from '../shared/present-rows.ts';
import { statement } from '../shared/statement.ts';

export const operationTable: Table<Operation> = {
  name: 'operations',
  code: 'o',
  columns: [
    fixed('kind', 'text', (operation) => operation.kind),
    fixed('subject_id', 'text', (operation) => operation.subjectId),
    fixed('charge_id', 'text', (operation) => operation.chargeId),
    fixed('processor', 'text', (operation) => operation.processor),
    column('attempt', 'integer', (operation) => operation.attempt),
    fixed('amount', 'bigint', (operation) => operation.amount),
    fixed('currency', 'text', (operation) => operation.currency),
    column('state', 'text', (operation) => operation.state),
    column('deadline_at', 'timestamptz', (operation) => operation.deadlineAt),
    column('next_lookup_at', 'timestamptz', (operation) => operation.nextLookupAt ?? null),
    column('lookups', 'integer', (operation) => operation.lookups),
    column('not_founds', 'integer', (operation) => operation.notFounds),
    column('processor_reference', 'text', (operation) => operation.processorReference ?? null),
    column('outcome', 'jsonb', (operation) => json(operation.outcome)),
    column('idempotency_key', 'text', (operation) => operation.idempotencyKey ?? null),
    fixed('request_id', 'text', (operation) => operation.requestId),
    fixed('created', 'timestamptz', (operation) => operation.created),
  ],
};

interface OperationRow {
  readonly id: OperationId;
  readonly account_id: AccountId;
  readonly livemode: boolean;
  readonly version: number;
  readonly kind: Operation['kind'];
  readonly subject_id: ChargeId | RefundId;
  readonly charge_id: ChargeId;
  readonly processor: string;
  readonly attempt: number;
  readonly amount: bigint;
  readonly currency: string;
  readonly state: Operation['state'];
  readonly deadline_at: Date;
  readonly next_lookup_at: Date | null;
  readonly lookups: number;
  readonly not_founds: number;
  readonly processor_reference: string | null;
  readonly outcome: NonNullable<Operation['outcome']> | null;
  readonly idempotency_key: string | null;
  readonly request_id: RequestId;
  readonly created: Date;
}

const COLUMNS = ['account_id', 'livemode', 'id', 'version'].concat(
  operationTable.columns.map(({ name }) => name),
);
const UNRESOLVED = "state IN ('created', 'sent', 'unknown', 'quarantined')";
const CLAIMABLE = "state IN ('created', 'sent', 'unknown')";

const find = statement(
  'pm_operations_find_v1',
  (s) => `SELECT ${COLUMNS.join(', ')} FROM ${s}.operations
    WHERE account_id = $1 AND livemode = $2 AND id = $3`,
);
const findUnresolved = statement(
  'pm_operations_unresolved_v1',
  (s) => `SELECT ${COLUMNS.join(', ')} FROM ${s}.operations
    WHERE account_id = $1 AND livemode = $2 AND subject_id = $3 AND ${UNRESOLVED}`,
);
const findUnresolvedOnCharge = statement(
  'pm_operations_on_charge_v1',
  // A charge has few operations; a refund that cancels an authorization is of kind `cancel`.
  (s) => `SELECT ${COLUMNS.join(', ')} FROM ${s}.operations
    WHERE account_id = $1 AND livemode = $2 AND charge_id = $3 AND kind <> 'refund' AND ${UNRESOLVED}
    ORDER BY id LIMIT 1`,
);
const claimDue = statement(
  'pm_operations_claim_v1',
  (s) => `UPDATE ${s}.operations o SET next_lookup_at = $2
    FROM (SELECT account_id, livemode, id FROM ${s}.operations
      WHERE ${CLAIMABLE} AND COALESCE(next_lookup_at, deadline_at) <= $1
      ORDER BY COALESCE(next_lookup_at, deadline_at) LIMIT $3
      FOR NO KEY UPDATE SKIP LOCKED) due
    WHERE (o.account_id, o.livemode, o.id) = (due.account_id, due.livemode, due.id)
    RETURNING ${COLUMNS.map((name) => `o.${name}`).join(', ')}`,
);

/** Operations on PostgreSQL. */
export function operationRows(session: Session): OperationRepository {
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
    async findUnresolvedOnCharge(owner, chargeId) {
      const values = [owner.accountId, livemode(owner.environment), chargeId];
      const [row] = (await session.query<OperationRow>(findUnresolvedOnCharge, values)).rows;
      return row && toOperation(row);
    },
    async claimDue(now, leaseUntil, limit) {
      const values = [now, leaseUntil, limit];
      return (await session.query<OperationRow>(claimDue, values)).rows.map(toOperation);
    },
  };
}

function toOperation(row: OperationRow): Operation {
  return {
    id: row.id,
    accountId: row.account_id,
    environment: environmentOf(row.livemode),
    version: row.version,
    kind: row.kind,
    subjectId: row.subject_id,
    chargeId: row.charge_id,
    processor: row.processor,
    attempt: row.attempt,
    amount: Number(row.amount),
    currency: row.currency,
    state: row.state,
    deadlineAt: row.deadline_at,
    lookups: row.lookups,
    notFounds: row.not_founds,
    requestId: row.request_id,
    created: row.created,
    ...present({
      nextLookupAt: row.next_lookup_at,
      processorReference: row.processor_reference,
      outcome: row.outcome,
      idempotencyKey: row.idempotency_key,
    }),
  };
}
