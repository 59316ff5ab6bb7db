import type { AccountId, CustomerId, PaymentMethodId } from '@paymount/core/kernel';
import { environmentOf, livemode } from '@paymount/core/kernel';
import type { Customer, CustomerReader } from '@paymount/core/payments';
import type { Knex } from 'knex';
import { statement } from '../connection/statement.ts';
import { column, fixed, json, type Table } from '../shared/columns.ts';
import { readPage, whereCreated, whereEqual, whereOwned } from '../shared/list-page.ts';
import { present } from '../shared/present-rows.ts';
import { type ClockColumns, clockColumns, toClocked } from '../test-clocks/object-clock.ts';
import type { Session } from '../transaction/session.ts';

export const customerTable: Table<Customer> = {
  name: 'customers',
  code: 'x',
  columns: [
    column('email', 'text', (customer) => customer.email),
    column('name', 'text', (customer) => customer.name),
    column('phone', 'text', (customer) => customer.phone),
    column('description', 'text', (customer) => customer.description),
    column('address', 'jsonb', (customer) => json(customer.address)),
    column('shipping', 'jsonb', (customer) => json(customer.shipping)),
    column('balance', 'bigint', (customer) => customer.balance),
    column('preferred_locales', 'text[]', (customer) => customer.preferredLocales),
    column('default_payment_method_id', 'text', (customer) => customer.defaultPaymentMethodId),
    column('metadata', 'jsonb', (customer) => json(customer.metadata)),
    fixed('created', 'timestamptz', (customer) => customer.created),
    column('deleted_at', 'timestamptz', (customer) => customer.deletedAt ?? null),
    fixed('test_clock_id', 'text', (customer) => customer.clock?.id ?? null),
  ],
};

interface CustomerRow extends ClockColumns {
  readonly id: CustomerId;
  readonly account_id: AccountId;
  readonly livemode: boolean;
  readonly version: number;
  readonly email: string | null;
  readonly name: string | null;
  readonly phone: string | null;
  readonly description: string | null;
  readonly address: Customer['address'];
  readonly shipping: Customer['shipping'];
  readonly balance: bigint;
  readonly preferred_locales: readonly string[];
  readonly default_payment_method_id: PaymentMethodId | null;
  readonly metadata: Customer['metadata'];
  readonly created: Date;
  readonly deleted_at: Date | null;
}

const COLUMNS = ['account_id', 'livemode', 'id', 'version'].concat(
  customerTable.columns.map(({ name }) => name),
);
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
        within: (query: Knex.QueryBuilder) => whereOwned(query, owner),
        narrow: (query: Knex.QueryBuilder) => {
          query.whereNull('deleted_at');
          if (filter.clock === undefined) query.whereNull('test_clock_id');
          whereEqual(query, 'test_clock_id', filter.clock);
          whereEqual(query, 'email', filter.email);
          whereCreated(query, filter.created);
        },
      } as const;
      return readPage(session, listed, page, toCustomer);
    },
  };
}

function toCustomer(row: CustomerRow): Customer {
  return {
    id: row.id,
    accountId: row.account_id,
    environment: environmentOf(row.livemode),
    version: row.version,
    email: row.email,
    name: row.name,
    phone: row.phone,
    description: row.description,
    address: row.address,
    shipping: row.shipping,
    balance: Number(row.balance),
    preferredLocales: row.preferred_locales,
    defaultPaymentMethodId: row.default_payment_method_id,
    metadata: row.metadata,
    created: row.created,
    ...toClocked(row),
    ...present({ deletedAt: row.deleted_at }),
  };
}
