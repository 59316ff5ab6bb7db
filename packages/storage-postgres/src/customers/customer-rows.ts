import { livemode, type Owner } from '@paymount/core/kernel';
import { balanceOf, type Customer, type CustomerRepository } from '@paymount/core/payments';
import type { Knex } from 'knex';
import { type Statement, statement } from '../connection/statement.ts';
import { whereOnClock } from '../shared/clocked-list.ts';
import { column, columnNames, fixed, type Table } from '../shared/columns.ts';
import { facts, type StoredRow } from '../shared/facts-of-row.ts';
import { readPage, whereCreated, whereEqual, whereOwned } from '../shared/list-page.ts';
import { type ClockColumns, clockColumns, toClocked } from '../test-clocks/object-clock.ts';
import type { Session } from '../transaction/session.ts';

const customerFacts = facts<Omit<Customer, 'clock'>>({
  email: 'text',
  name: 'text',
  phone: 'text',
  description: 'text',
  address: 'jsonb',
  shipping: 'jsonb',
  preferredLocales: 'text[]',
  defaultPaymentMethodId: 'text',
  currency: 'text',
  balances: 'jsonb',
  metadata: 'jsonb',
  created: 'fixed timestamptz',
  deletedAt: 'optional timestamptz',
});

export const customerTable: Table<Customer> = {
  name: 'customers',
  code: 'x',
  columns: [
    ...customerFacts.columns,
    // Written for processes of the previous version, which read it.
    column('balance', 'bigint', balanceOf),
    fixed('test_clock_id', 'text', (customer) => customer.clock?.id ?? null),
  ],
};

/** As it is stored, with its test clock. */
export type CustomerRow = StoredRow & ClockColumns;

export const CUSTOMER_COLUMNS: readonly string[] = columnNames(customerTable);
const select = (s: string): string =>
  `SELECT ${CUSTOMER_COLUMNS.join(', ')}, ${clockColumns(s, 'x')} FROM ${s}.customers x
    WHERE account_id = $1 AND livemode = $2`;
const findMany = statement('pm_customers_find_v3', (s) => `${select(s)} AND id = ANY ($3::text[])`);
const findForUpdate = statement(
  'pm_customers_lock_v1',
  (s) => `${select(s)} AND id = $3 FOR NO KEY UPDATE OF x`,
);

/** Customers on PostgreSQL. */
export function customerRows(session: Session): CustomerRepository {
  const read = async (by: Statement, { accountId, environment }: Owner, value: unknown) => {
    const values = [accountId, livemode(environment), value];
    return (await session.query<CustomerRow>(by, values)).rows.map(toCustomer);
  };
  return {
    findMany: (owner, ids) => read(findMany, owner, ids),
    find: async (owner, id) => (await read(findMany, owner, [id]))[0],
    findForUpdate: async (owner, id) => (await read(findForUpdate, owner, id))[0],
    async list(owner, filter, page) {
      const listed = {
        table: 'customers',
        columns: [...CUSTOMER_COLUMNS, clockColumns(session.statements.schema, 't')],
        order: 'created',
        // A customer that is deleted between two pages stays a cursor.
        within: (query: Knex.QueryBuilder) => {
          whereOwned(query, owner);
          whereOnClock(query, filter.clock);
        },
        narrow: (query: Knex.QueryBuilder) => {
          query.whereNull('deleted_at');
          whereEqual(query, 'email', filter.email);
          whereCreated(query, filter.created);
        },
      } as const;
      return readPage(session, listed, page, toCustomer);
    },
  };
}

/** The customer of a row. */
export function toCustomer(row: CustomerRow): Customer {
  return customerFacts.read(row, toClocked(row));
}
