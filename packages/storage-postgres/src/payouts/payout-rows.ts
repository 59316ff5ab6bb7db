import type { BalanceTransactionId, CreatedFilter } from '@paymount/core/kernel';
import { livemode } from '@paymount/core/kernel';
import type {
  Payout,
  PayoutFacts,
  PayoutRepository,
  PayoutState,
  PayoutStop,
} from '@paymount/core/payments';
import type { Knex } from 'knex';
import { statement } from '../connection/statement.ts';
import { whereOnClock } from '../shared/clocked-list.ts';
import { column, columnNames, fixed, type Table } from '../shared/columns.ts';
import { facts, type StoredRow } from '../shared/facts-of-row.ts';
import { readPage, whereCreated, whereEqual, whereOwned } from '../shared/list-page.ts';
import {
  type ClockColumns,
  clockColumns,
  toClocked,
  withHeldClock,
} from '../test-clocks/object-clock.ts';
import type { Session } from '../transaction/session.ts';

const payoutFacts = facts<Omit<PayoutFacts, 'clock'>>({
  amount: 'fixed bigint',
  currency: 'fixed text',
  arrivalDate: 'timestamptz',
  period: 'fixed timestamptz',
  destinationId: 'fixed text',
  balanceTransactionId: 'fixed text',
  processorName: 'fixed text',
  statementDescriptor: 'fixed text',
  description: 'text',
  metadata: 'jsonb',
  created: 'fixed timestamptz',
  createdBy: 'optional fixed jsonb',
});

export const payoutTable: Table<Payout> = {
  name: 'payouts',
  code: 'ip',
  columns: [
    ...payoutFacts.columns,
    column('status', 'text', (payout) => payout.status),
    fixed('automatic', 'boolean', (payout) => payout.period !== null),
    column('failure_code', 'text', (payout) =>
      payout.status === 'failed' ? payout.failureCode : (stopOf(payout)?.code ?? null),
    ),
    column('failure_message', 'text', (payout) =>
      payout.status === 'failed' ? payout.failureMessage : (stopOf(payout)?.message ?? null),
    ),
    column('failure_balance_transaction_id', 'text', (payout) =>
      payout.status === 'failed' || payout.status === 'canceled'
        ? payout.failureBalanceTransactionId
        : null,
    ),
    fixed('test_clock_id', 'text', (payout) => payout.clock?.id ?? null),
  ],
};

interface PayoutRow extends StoredRow, ClockColumns {
  readonly status: PayoutState['status'];
  readonly failure_code: string | null;
  readonly failure_message: string | null;
  readonly failure_balance_transaction_id: BalanceTransactionId | null;
}

const COLUMNS = columnNames(payoutTable);
const select = (s: string): string =>
  `SELECT ${COLUMNS.join(', ')}, ${clockColumns(s, 'p')} FROM ${s}.payouts p`;
const OWNED = 'WHERE account_id = $1 AND livemode = $2';

const findMany = statement(
  'pm_payouts_find_v3',
  (s) => `${select(s)} ${OWNED} AND id = ANY ($3::text[])`,
);
const findForUpdate = statement(
  'pm_payouts_lock_v3',
  (s) => `${select(s)} ${OWNED} AND id = $3 FOR NO KEY UPDATE OF p`,
);
const findUnfinishedTo = statement(
  'pm_payouts_unfinished_v3',
  (s) => `${select(s)} ${OWNED} AND destination_id = $3
    AND status IN ('pending', 'in_transit') ORDER BY id LIMIT 1`,
);
/**
 * One that the processor does not know waits for the end of the hold too. Nothing else puts off what was
 * not found for longer than a few minutes, and those minutes must pass before it is asked again.
 */
const sendUnsentTo = statement(
  'pm_payouts_send_unsent_v2',
  (s) => `UPDATE ${s}.operations o SET next_lookup_at = $4
    FROM ${s}.payouts p
    WHERE p.account_id = $1 AND p.livemode = $2 AND p.destination_id = $3 AND p.status = 'pending'
      AND o.account_id = p.account_id AND o.livemode = p.livemode AND o.subject_id = p.id
      AND (o.state = 'created' AND o.next_lookup_at > $4
        OR o.state = 'unknown' AND o.not_founds > 0
          AND o.next_lookup_at > $4 + interval '10 minutes')`,
);
const findUnsentOn = statement(
  'pm_payouts_unsent_on_v2',
  // A payout has one operation that is not resolved; others are on their way to the processor.
  (s) => `${select(s)} WHERE test_clock_id = $1 AND status = 'pending' AND EXISTS (
      SELECT FROM ${s}.operations o WHERE o.subject_id = p.id AND o.state = 'created')
    ORDER BY created, id LIMIT $2`,
);

/** Payouts on PostgreSQL. */
export function payoutRows(session: Session): PayoutRepository {
  const readMany: PayoutRepository['findMany'] = async (owner, ids) => {
    const values = [owner.accountId, livemode(owner.environment), ids];
    return (await session.query<PayoutRow>(findMany, values)).rows.map(toPayout);
  };
  return {
    findMany: readMany,
    find: async (owner, id) => (await readMany(owner, [id]))[0],
    async findForUpdate(owner, id) {
      const values = [owner.accountId, livemode(owner.environment), id];
      const [row] = (await session.query<PayoutRow>(findForUpdate, values)).rows;
      return withHeldClock(session, row && toPayout(row));
    },
    async findUnsentOn(clock, limit) {
      return (await session.query<PayoutRow>(findUnsentOn, [clock, limit])).rows.map(toPayout);
    },
    async findUnfinishedTo(owner, destinationId) {
      const values = [owner.accountId, livemode(owner.environment), destinationId];
      const [row] = (await session.query<PayoutRow>(findUnfinishedTo, values)).rows;
      return row && toPayout(row);
    },
    async sendUnsentTo({ accountId, environment }, destinationId, now) {
      const values = [accountId, livemode(environment), destinationId, now];
      await session.query(sendUnsentTo, values);
    },
    async list(owner, filter, page) {
      const listed = {
        table: 'payouts',
        columns: COLUMNS,
        order: 'created',
        within: (query: Knex.QueryBuilder) => {
          whereOwned(query, owner);
          whereOnClock(query, filter.clock);
        },
        narrow: (query: Knex.QueryBuilder) => {
          whereEqual(query, 'status', filter.status);
          whereEqual(query, 'destination_id', filter.destinationId);
          whereArriving(query, filter.arrivalDate);
          whereCreated(query, filter.created);
        },
      } as const;
      return readPage(session, listed, page, toPayout);
    },
  };
}

function whereArriving(query: Knex.QueryBuilder, filter: CreatedFilter | undefined): void {
  if (filter?.gt) query.where('arrival_date', '>', filter.gt);
  if (filter?.gte) query.where('arrival_date', '>=', filter.gte);
  if (filter?.lt) query.where('arrival_date', '<', filter.lt);
  if (filter?.lte) query.where('arrival_date', '<=', filter.lte);
}

function toPayout(row: PayoutRow): Payout {
  return payoutFacts.read(row, { ...toClocked(row), ...toState(row) });
}

function stopOf(payout: Payout): PayoutStop | undefined {
  return payout.status === 'canceled' ? payout.stop : undefined;
}

function toStop({ failure_code, failure_message }: PayoutRow): { readonly stop?: PayoutStop } {
  if (failure_code === null) return {};
  return { stop: { code: failure_code as PayoutStop['code'], message: failure_message ?? '' } };
}

function toState(row: PayoutRow): PayoutState {
  const failureBalanceTransactionId = row.failure_balance_transaction_id as BalanceTransactionId;
  switch (row.status) {
    case 'failed':
      return {
        status: 'failed',
        failureCode: row.failure_code as string,
        failureMessage: row.failure_message ?? '',
        failureBalanceTransactionId,
      };
    case 'canceled':
      return { status: 'canceled', ...toStop(row), failureBalanceTransactionId };
    case 'pending':
    case 'in_transit':
    case 'paid':
      return { status: row.status };
  }
}
