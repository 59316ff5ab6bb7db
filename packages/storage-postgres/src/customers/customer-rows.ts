import { livemode } from '@paymount/core/kernel';
import type { Customer, CustomerReader } from '@paymount/core/payments';
import type { Knex } from 'knex';
import { statement } from '../connection/statement.ts';
import { whereOnClock } from '../shared/clocked-list.ts';
import { columnNames, fixed, type Table } from '../shared/columns.ts';
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
  balance: 'bigint',
  preferredLocales: 'text[]',
  defaultPaymentMethodId: 'text',
  metadata: 'jsonb',
  created: 'fixed timestamptz',
  deletedAt: 'optional timestamptz',
});

export const customerTable: Table<Customer> = {
  name: 'customers',
  code: 'x',
  columns: [
    ...customerFacts.columns,
    fixed('test_clock_id', 'text', (customer) => customer.clock?.id ?? null),
  ],
};

type CustomerRow = StoredRow & ClockColumns;

const COLUMNS = columnNames(customerTable);
const findMany = statement(
  'pm_customers_find_v2',
  (s) => `SELECT ${COLUMNS.join(', ')}, ${clockColumns(s, 'x')} FROM ${s}.customers x
    WHERE account_id = $1 AND livemode = $2 AND id = ANY ($3::text[])`,
);

/** Customers on PostgreSQL. */
export function customerRows(session: Session): CustomerReader {
  const readMany: CustomerReader['findMany'] = async (owner, ids) => {
    const values = [owner.accountId, livemode(owner.environment), ids];
    return (await session.query<CustomerRow>(findMany, values)).rows.map(toCustomer);
  };
  return {
    findMany: readMany,
    find: async (owner, id) => (await readMany(owner, [id]))[0],
    async list(owner, filter, page) {
      const listed = {
        table: 'customers',
        columns: [...COLUMNS, clockColumns(session.statements.schema, 't')],
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

function toCustomer(row: CustomerRow): Customer {
  return customerFacts.read(row, toClocked(row));
}
