import type { BalanceTransactionId, OperationId } from '@paymount/core/kernel';
import { livemode } from '@paymount/core/kernel';
import type {
  Credit,
  Debit,
  Dispute,
  DisputeFacts,
  DisputeRepository,
  DisputeState,
} from '@paymount/core/payments';
import type { Knex } from 'knex';
import { type Statement, statement } from '../connection/statement.ts';
import { whereOnClock } from '../shared/clocked-list.ts';
import { column, columnNames, json, type Table } from '../shared/columns.ts';
import { facts, type StoredRow } from '../shared/facts-of-row.ts';
import { readPage, whereCreated, whereEqual, whereOwned } from '../shared/list-page.ts';
import type { Session } from '../transaction/session.ts';

const disputeFacts = facts<Omit<DisputeFacts, 'alert' | 'round' | 'earlier'>>({
  chargeId: 'fixed text',
  amount: 'bigint',
  currency: 'fixed text',
  reason: 'text',
  networkReasonCode: 'text',
  processorName: 'fixed text',
  processorReference: 'text',
  ruledAt: 'optional timestamptz',
  earlierAnswerId: 'optional text',
  dueBy: 'timestamptz',
  pastDue: 'boolean',
  evidence: 'jsonb',
  submissionCount: 'integer',
  metadata: 'jsonb',
  created: 'fixed timestamptz',
  testClockId: 'optional fixed text',
});

export const disputeTable: Table<Dispute> = {
  name: 'disputes',
  code: 'id',
  columns: [
    ...disputeFacts.columns,
    column('status', 'text', (dispute) => dispute.status),
    column('alert_reference', 'text', (dispute) => dispute.alert?.reference ?? null),
    column('alert_operation_id', 'text', (dispute) => dispute.alert?.operationId ?? null),
    column('round', 'smallint', (dispute) => dispute.round),
    // The table demands it in later rounds, which keeps processes of an earlier version from winning one.
    column('won_round', 'smallint', (dispute) => (dispute.status === 'won' ? dispute.round : null)),
    column('earlier_bookings', 'jsonb', (dispute) => json(dispute.earlier)),
    column('closed_reason', 'text', (dispute) =>
      dispute.status === 'lost' ? dispute.closedReason : null,
    ),
    column('debit_id', 'text', (dispute) => debitOf(dispute)?.transactionId ?? null),
    column('debit_fee', 'bigint', (dispute) => debitOf(dispute)?.fee ?? null),
    column('debit_fee_details', 'jsonb', (dispute) => json(debitOf(dispute)?.feeDetails)),
    column('debited_at', 'timestamptz', (dispute) => debitOf(dispute)?.at ?? null),
    column('credit_id', 'text', (dispute) => creditOf(dispute)?.transactionId ?? null),
    column('credited_at', 'timestamptz', (dispute) => creditOf(dispute)?.at ?? null),
  ],
};

function debitOf(dispute: Dispute): Debit | undefined {
  return 'debit' in dispute ? dispute.debit : undefined;
}

function creditOf(dispute: Dispute): Credit | undefined {
  return dispute.status === 'won' ? dispute.credit : undefined;
}

/** As JSON has it: times are texts. */
interface StoredBooking {
  readonly debit: Omit<Debit, 'at'> & { readonly at: string };
  readonly credit: Omit<Credit, 'at'> & { readonly at: string };
}

export interface DisputeRow extends StoredRow {
  readonly status: DisputeState['status'];
  readonly alert_reference: string | null;
  readonly alert_operation_id: OperationId | null;
  readonly round: DisputeFacts['round'];
  readonly earlier_bookings: readonly StoredBooking[];
  readonly closed_reason: Extract<DisputeState, { status: 'lost' }>['closedReason'] | null;
  readonly debit_id: BalanceTransactionId | null;
  readonly debit_fee: bigint | null;
  readonly debit_fee_details: Debit['feeDetails'] | null;
  readonly debited_at: Date | null;
  readonly credit_id: BalanceTransactionId | null;
  readonly credited_at: Date | null;
}

export const DISPUTE_COLUMNS = columnNames(disputeTable);
const SELECT = `SELECT ${DISPUTE_COLUMNS.join(', ')} FROM`;
const OWNED = 'account_id = $1 AND livemode = $2';

const findMany = statement(
  'pm_disputes_find_v4',
  (s) => `${SELECT} ${s}.disputes WHERE ${OWNED} AND id = ANY ($3::text[])`,
);
const findForUpdate = statement(
  'pm_disputes_lock_v4',
  (s) => `${SELECT} ${s}.disputes WHERE ${OWNED} AND id = $3 FOR NO KEY UPDATE`,
);
const ofCharge = statement(
  'pm_disputes_of_charge_v4',
  (s) => `${SELECT} ${s}.disputes WHERE ${OWNED} AND charge_id = $3 ORDER BY id DESC`,
);
const findByReference = statement(
  'pm_disputes_by_reference_v5',
  (s) => `${SELECT} ${s}.disputes
    WHERE livemode = $1 AND processor_name = $2
      AND (processor_reference = $3 OR alert_reference = $3)
    ORDER BY processor_reference = $3 DESC LIMIT 1`,
);
const findDue = dueStatement('pm_disputes_due_v5', 'test_clock_id IS NULL');
const findDueOn = dueStatement('pm_disputes_due_on_v3', 'test_clock_id = $5');

/** @param clocked the condition on their test clock */
function dueStatement(name: `pm_${string}`, clocked: string): Statement {
  return statement(
    name,
    (s) => `${SELECT} ${s}.disputes d
    WHERE status IN ('warning_needs_response', 'needs_response') AND NOT past_due AND due_by <= $1
      AND ${clocked}
      AND (due_by, id) > ($3::timestamptz, $4::text) AND NOT EXISTS (
      SELECT FROM ${s}.operations o WHERE o.subject_id = d.id
        AND o.state IN ('created', 'sent', 'unknown', 'quarantined'))
    ORDER BY due_by, id LIMIT $2`,
  );
}

/** Disputes on PostgreSQL. */
export function disputeRows(session: Session): DisputeRepository {
  const readMany: DisputeRepository['findMany'] = async (owner, ids) => {
    const values = [owner.accountId, livemode(owner.environment), ids];
    return (await session.query<DisputeRow>(findMany, values)).rows.map(toDispute);
  };
  return {
    findMany: readMany,
    find: async (owner, id) => (await readMany(owner, [id]))[0],
    async findForUpdate(owner, id) {
      const values = [owner.accountId, livemode(owner.environment), id];
      return first((await session.query<DisputeRow>(findForUpdate, values)).rows);
    },
    async ofCharge(owner, chargeId) {
      const values = [owner.accountId, livemode(owner.environment), chargeId];
      return (await session.query<DisputeRow>(ofCharge, values)).rows.map(toDispute);
    },
    async findByReference({ environment, processor }, reference) {
      const values = [livemode(environment), processor, reference];
      return first((await session.query<DisputeRow>(findByReference, values)).rows);
    },
    async findDue(now, limit, after, clock) {
      const values = [now, limit, after?.dueBy ?? '-infinity', after?.id ?? ''];
      const { rows } = await (clock === undefined
        ? session.query<DisputeRow>(findDue, values)
        : session.query<DisputeRow>(findDueOn, [...values, clock]));
      return rows.map(toDispute);
    },
    async list(owner, filter, page) {
      const listed = {
        table: 'disputes',
        columns: DISPUTE_COLUMNS,
        order: 'created',
        within: (query: Knex.QueryBuilder) => {
          whereOwned(query, owner);
          whereOnClock(query, filter.clock, { isOfOne: filter.chargeId !== undefined });
        },
        narrow: (query: Knex.QueryBuilder) => {
          whereEqual(query, 'charge_id', filter.chargeId);
          whereEqual(query, 'status', filter.status);
          whereCreated(query, filter.dueBy, 'due_by');
          whereCreated(query, filter.created);
        },
      } as const;
      return readPage(session, listed, page, toDispute);
    },
  };
}

function first(rows: readonly DisputeRow[]): Dispute | undefined {
  return rows[0] && toDispute(rows[0]);
}

/** The dispute of a row. */
export function toDispute(row: DisputeRow): Dispute {
  return disputeFacts.read(row, {
    ...toAlert(row),
    round: row.round,
    earlier: row.earlier_bookings.map(toEarlier),
    ...toState(row),
  });
}

function toAlert(row: DisputeRow): Pick<DisputeFacts, 'alert'> {
  if (row.alert_reference === null) return {};
  const answer = row.alert_operation_id === null ? {} : { operationId: row.alert_operation_id };
  return { alert: { reference: row.alert_reference, ...answer } };
}

function toEarlier({ debit, credit }: StoredBooking): DisputeFacts['earlier'][number] {
  return {
    debit: { ...debit, at: new Date(debit.at) },
    credit: { ...credit, at: new Date(credit.at) },
  };
}

/** The table's CHECK ensures that each state has exactly its own columns. */
function toState(row: DisputeRow): DisputeState {
  switch (row.status) {
    case 'warning_needs_response':
    case 'warning_closed':
    case 'prevented':
      return { status: row.status };
    case 'needs_response':
    case 'under_review':
      return { status: row.status, debit: toDebit(row) };
    case 'won':
      return { status: row.status, debit: toDebit(row), credit: toCredit(row) };
    case 'lost':
      return {
        status: row.status,
        debit: toDebit(row),
        closedReason: row.closed_reason as NonNullable<DisputeRow['closed_reason']>,
      };
  }
}

function toDebit(row: DisputeRow): Debit {
  return {
    transactionId: row.debit_id as BalanceTransactionId,
    fee: Number(row.debit_fee),
    feeDetails: row.debit_fee_details as Debit['feeDetails'],
    at: row.debited_at as Date,
  };
}

function toCredit(row: DisputeRow): Credit {
  return {
    transactionId: row.credit_id as BalanceTransactionId,
    at: row.credited_at as Date,
  };
}
