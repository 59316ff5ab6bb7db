import type { Product, ProductRepository } from '@paymount/core/billing';
import { livemode, type Owner } from '@paymount/core/kernel';
import type { Knex } from 'knex';
import { type Statement, statement } from '../connection/statement.ts';
import { columnNames, type Table } from '../shared/columns.ts';
import { facts, type StoredRow } from '../shared/facts-of-row.ts';
import { readPage, whereCreated, whereOwned } from '../shared/list-page.ts';
import type { Session } from '../transaction/session.ts';

const productFacts = facts<Product>({
  name: 'text',
  active: 'boolean',
  description: 'text',
  metadata: 'jsonb',
  priceCount: 'integer',
  created: 'fixed timestamptz',
  deletedAt: 'optional timestamptz',
});

export const productTable: Table<Product> = {
  name: 'products',
  code: 'ir',
  columns: productFacts.columns,
};

const COLUMNS = columnNames(productTable);
const SELECT = `SELECT ${COLUMNS.join(', ')} FROM`;
const OWNED = 'WHERE account_id = $1 AND livemode = $2';
const findMany = statement(
  'pm_products_find_v1',
  (s) => `${SELECT} ${s}.products ${OWNED} AND id = ANY ($3::text[])`,
);
const findForUpdate = statement(
  'pm_products_lock_v1',
  (s) => `${SELECT} ${s}.products ${OWNED} AND id = $3 FOR NO KEY UPDATE`,
);

/** Products on PostgreSQL. */
export function productRows(session: Session): ProductRepository {
  const read = async (by: Statement, { accountId, environment }: Owner, value: unknown) => {
    const { rows } = await session.query<StoredRow>(by, [accountId, livemode(environment), value]);
    return rows.map(toProduct);
  };
  return {
    findMany: (owner, ids) => read(findMany, owner, ids),
    find: async (owner, id) => (await read(findMany, owner, [id]))[0],
    findForUpdate: async (owner, id) => (await read(findForUpdate, owner, id))[0],
    async list(owner, filter, page) {
      const listed = {
        table: 'products',
        columns: COLUMNS,
        // A product that is deleted between two pages stays a cursor.
        within: (query: Knex.QueryBuilder) => whereOwned(query, owner),
        narrow: (query: Knex.QueryBuilder) => {
          query.whereNull('deleted_at');
          if (filter.active !== undefined) query.where('active', filter.active);
          if (filter.ids !== undefined) query.whereIn('id', filter.ids);
          whereCreated(query, filter.created);
        },
      } as const;
      return readPage(session, listed, page, toProduct);
    },
  };
}

function toProduct(row: StoredRow): Product {
  return productFacts.read(row, {});
}
