import type { BalanceTransactionId } from '@paymount/core/kernel';
import { livemode } from '@paymount/core/kernel';
import type { Refund, RefundFacts, RefundRepository, RefundState } from '@paymount/core/payments';
import type { Knex } from 'knex';
import { statement } from '../connection/statement.ts';
import { whereOnClock } from '../shared/clocked-list.ts';
import { column, columnNames, type Table } from '../shared/columns.ts';
import { facts, type StoredRow } from '../shared/facts-of-row.ts';
import { readPage, whereCreated, whereEqual, whereOwned } from '../shared/list-page.ts';
import type { Session } from '../transaction/session.ts';

const refundFacts = facts<RefundFacts>({
  chargeId: 'fixed text',
  amount: 'fixed bigint',
  currency: 'fixed text',
  reason: 'fixed text',
  balanceTransactionId: 'text',
  metadata: 'jsonb',
  created: 'fixed timestamptz',
  createdBy: 'optional fixed jsonb',
  testClockId: 'optional fixed text',
});

export const refundTable: Table<Refund> = {
  name: 'refunds',
  code: 'r',
  columns: [
    ...refundFacts.columns,
    column('status', 'text', (refund) => refund.status),
    column('failure_reason', 'text', (refund) =>
      refund.status === 'failed' ? refund.failureReason : null,
    ),
    column('failure_balance_transaction_id', 'text', (refund) =>
      refund.status === 'failed' || refund.status === 'canceled'
        ? refund.failureBalanceTransactionId
        : null,
    ),
  ],
};

interface RefundRow extends StoredRow {
  readonly status: RefundState['status'];
  readonly failure_reason: string | null;
  readonly failure_balance_transaction_id: BalanceTransactionId | null;
}

const COLUMNS = columnNames(refundTable);
const SELECT = `SELECT ${COLUMNS.join(', ')} FROM`;
const BY_ID = 'WHERE account_id = $1 AND livemode = $2 AND id = $3';

const find = statement('pm_refunds_find_v2', (s) => `${SELECT} ${s}.refunds ${BY_ID}`);
const findMany = statement(
  'pm_refunds_find_many_v2',
  (s) => `${SELECT} ${s}.refunds WHERE account_id = $1 AND livemode = $2 AND id = ANY ($3::text[])`,
);
const newestOf = statement(
  'pm_refunds_newest_v2',
  (s) => `SELECT r.* FROM unnest($3::text[]) AS c (id) CROSS JOIN LATERAL (
      ${SELECT} ${s}.refunds
      WHERE account_id = $1 AND livemode = $2 AND charge_id = c.id ORDER BY id DESC LIMIT $4) r`,
);
const hasPending = statement(
  'pm_refunds_pending_v1',
  (s) => `SELECT EXISTS (SELECT FROM ${s}.refunds WHERE account_id = $1 AND livemode = $2
      AND charge_id = $3 AND status = 'pending' AND id IS DISTINCT FROM $4) AS "hasPending"`,
);
const findForUpdate = statement(
  'pm_refunds_lock_v2',
  (s) => `${SELECT} ${s}.refunds ${BY_ID} FOR NO KEY UPDATE`,
);

/** Refunds on PostgreSQL. */
export function refundRows(session: Session): RefundRepository {
  return {
    async find(owner, id) {
      const values = [owner.accountId, livemode(owner.environment), id];
      return first((await session.query<RefundRow>(find, values)).rows);
    },
    async findMany(owner, ids) {
      const values = [owner.accountId, livemode(owner.environment), ids];
      return (await session.query<RefundRow>(findMany, values)).rows.map(toRefund);
    },
    async newestOf(owner, chargeIds, limit) {
      const values = [owner.accountId, livemode(owner.environment), chargeIds, limit];
      return (await session.query<RefundRow>(newestOf, values)).rows.map(toRefund);
    },
    async hasPending(owner, chargeId, except) {
      const values = [owner.accountId, livemode(owner.environment), chargeId, except ?? null];
      const { rows } = await session.query<{ hasPending: boolean }>(hasPending, values);
      return rows[0]?.hasPending === true;
    },
    async findForUpdate(owner, id) {
      const values = [owner.accountId, livemode(owner.environment), id];
      return first((await session.query<RefundRow>(findForUpdate, values)).rows);
    },
    async list(owner, filter, page) {
      const listed = {
        table: 'refunds',
        columns: COLUMNS,
        order: 'created',
        within: (query: Knex.QueryBuilder) => {
          whereOwned(query, owner);
          whereOnClock(query, filter.clock, { isOfOne: filter.chargeId !== undefined });
        },
        narrow: (query: Knex.QueryBuilder) => {
          whereEqual(query, 'charge_id', filter.chargeId);
          whereCreated(query, filter.created);
        },
      } as const;
      return readPage(session, listed, page, toRefund);
    },
  };
}

function first(rows: readonly RefundRow[]): Refund | undefined {
  return rows[0] && toRefund(rows[0]);
}

function toRefund(row: RefundRow): Refund {
  return refundFacts.read(row, toState(row));
}

function toState(row: RefundRow): RefundState {
  const failureBalanceTransactionId = row.failure_balance_transaction_id;
  switch (row.status) {
    case 'pending':
      return { status: 'pending' };
    case 'succeeded':
      return { status: 'succeeded' };
    case 'failed':
      return {
        status: 'failed',
        failureReason: row.failure_reason as string,
        failureBalanceTransactionId,
      };
    case 'canceled':
      return { status: 'canceled', failureBalanceTransactionId };
  }
}
