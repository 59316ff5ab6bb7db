import type { Price, PriceRepository } from '@paymount/core/billing';
import { livemode, type Owner } from '@paymount/core/kernel';
import type { Knex } from 'knex';
import { type Statement, statement } from '../connection/statement.ts';
import { columnNames, type Table } from '../shared/columns.ts';
import { facts, type StoredRow } from '../shared/facts-of-row.ts';
import { readPage, whereCreated, whereEqual, whereOwned } from '../shared/list-page.ts';
import type { Session } from '../transaction/session.ts';

const priceFacts = facts<Price>({
  productId: 'fixed text',
  currency: 'fixed text',
  unitAmount: 'fixed bigint',
  recurring: 'fixed jsonb',
  active: 'boolean',
  lookupKey: 'text',
  nickname: 'text',
  metadata: 'jsonb',
  created: 'fixed timestamptz',
});

export const priceTable: Table<Price> = {
  name: 'prices',
  code: 'ii',
  columns: priceFacts.columns,
};

export const PRICE_COLUMNS: readonly string[] = columnNames(priceTable);
const SELECT = `SELECT ${PRICE_COLUMNS.join(', ')} FROM`;
const OWNED = 'WHERE account_id = $1 AND livemode = $2';
const findMany = statement(
  'pm_prices_find_v1',
  (s) => `${SELECT} ${s}.prices ${OWNED} AND id = ANY ($3::text[])`,
);
const findForUpdate = statement(
  'pm_prices_lock_v1',
  (s) => `${SELECT} ${s}.prices ${OWNED} AND id = $3 FOR NO KEY UPDATE`,
);
/** The key may have no row yet that could be locked. */
const lockKey = statement(
  'pm_prices_lock_key_v1',
  () => `SELECT pg_advisory_xact_lock(hashtextextended(
    'paymount.prices.' || $1::text || $2::boolean || $3::text, 0))`,
);
const findByKey = statement(
  'pm_prices_by_key_v1',
  (s) => `${SELECT} ${s}.prices ${OWNED} AND lookup_key = $3 FOR NO KEY UPDATE`,
);

/** Prices on PostgreSQL. */
export function priceRows(session: Session): PriceRepository {
  const read = async (by: Statement, { accountId, environment }: Owner, value: unknown) => {
    const { rows } = await session.query<StoredRow>(by, [accountId, livemode(environment), value]);
    return rows.map(toPrice);
  };
  return {
    findMany: (owner, ids) => read(findMany, owner, ids),
    find: async (owner, id) => (await read(findMany, owner, [id]))[0],
    findForUpdate: async (owner, id) => (await read(findForUpdate, owner, id))[0],
    async holdLookupKey(owner, key) {
      await session.query(lockKey, [owner.accountId, livemode(owner.environment), key]);
      // A separate statement, which sees what those before it have committed.
      return (await read(findByKey, owner, key))[0];
    },
    async list(owner, filter, page) {
      const listed = {
        table: 'prices',
        columns: PRICE_COLUMNS,
        within: (query: Knex.QueryBuilder) => whereOwned(query, owner),
        narrow: (query: Knex.QueryBuilder) => {
          whereEqual(query, 'product_id', filter.productId);
          whereEqual(query, 'currency', filter.currency);
          if (filter.active !== undefined) query.where('active', filter.active);
          if (filter.type === 'one_time') query.whereNull('recurring');
          if (filter.type === 'recurring') query.whereNotNull('recurring');
          if (filter.lookupKeys !== undefined) query.whereIn('lookup_key', filter.lookupKeys);
          whereCreated(query, filter.created);
        },
      } as const;
      return readPage(session, listed, page, toPrice);
    },
  };
}

/** The price of a row. */
export function toPrice(row: StoredRow): Price {
  return priceFacts.read(row, {});
}
