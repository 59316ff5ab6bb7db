import { livemode, type Owner } from '@paymount/core/kernel';
import type {
  CustomerBalanceRepository,
  CustomerBalanceTransaction,
} from '@paymount/core/payments';
import type { Knex } from 'knex';
import { type Statement, statement } from '../connection/statement.ts';
import { columnNames, type Table } from '../shared/columns.ts';
import { facts, type StoredRow } from '../shared/facts-of-row.ts';
import { readPage, whereCreated, whereEqual, whereOwned } from '../shared/list-page.ts';
import type { Session } from '../transaction/session.ts';

const transactionFacts = facts<CustomerBalanceTransaction>({
  customerId: 'fixed text',
  currency: 'fixed text',
  number: 'fixed integer',
  amount: 'fixed bigint',
  endingBalance: 'fixed bigint',
  type: 'fixed text',
  invoiceId: 'fixed text',
  description: 'text',
  metadata: 'jsonb',
  created: 'fixed timestamptz',
  createdBy: 'optional fixed jsonb',
});

export const customerBalanceTable: Table<CustomerBalanceTransaction> = {
  name: 'customer_balance_transactions',
  code: 'ix',
  columns: transactionFacts.columns,
};

const COLUMNS = columnNames(customerBalanceTable);
const select = (s: string): string =>
  `SELECT ${COLUMNS.join(', ')} FROM ${s}.customer_balance_transactions
    WHERE account_id = $1 AND livemode = $2 AND customer_id = $3`;
const LAST = 'AND currency = $4 ORDER BY number DESC LIMIT 1';
const LOCKED = 'FOR NO KEY UPDATE';
const find = statement('pm_customer_balance_find_v1', (s) => `${select(s)} AND id = $4`);
const findForUpdate = statement(
  'pm_customer_balance_lock_v1',
  (s) => `${select(s)} AND id = $4 ${LOCKED}`,
);
const findLast = statement('pm_customer_balance_last_v1', (s) => `${select(s)} ${LAST}`);
const findLastForUpdate = statement(
  'pm_customer_balance_lock_last_v1',
  (s) => `${select(s)} ${LAST} ${LOCKED}`,
);

/** Moves of the balances of customers on PostgreSQL. */
export function customerBalanceRows(session: Session): CustomerBalanceRepository {
  const readBy =
    (by: Statement) =>
    async ({ accountId, environment }: Owner, customerId: string, value: string) => {
      const values = [accountId, livemode(environment), customerId, value];
      const [row] = (await session.query<StoredRow>(by, values)).rows;
      return row && toTransaction(row);
    };
  return {
    find: readBy(find),
    findForUpdate: readBy(findForUpdate),
    findLast: readBy(findLast),
    findLastForUpdate: readBy(findLastForUpdate),
    async list(owner, customerId, filter, page) {
      const listed = {
        table: 'customer_balance_transactions',
        columns: COLUMNS,
        within: (query: Knex.QueryBuilder) => {
          whereOwned(query, owner);
          whereEqual(query, 'customer_id', customerId);
        },
        narrow: (query: Knex.QueryBuilder) => {
          whereEqual(query, 'currency', filter.currency);
          whereEqual(query, 'invoice_id', filter.invoiceId);
          whereCreated(query, filter.created);
        },
      } as const;
      return readPage(session, listed, page, toTransaction);
    },
  };
}

function toTransaction(row: StoredRow): CustomerBalanceTransaction {
  return transactionFacts.read(row, {});
}
