import type { InvoiceItem, InvoiceItemRepository } from '@paymount/core/billing';
import { type CustomerId, livemode, type Owner } from '@paymount/core/kernel';
import type { Knex } from 'knex';
import { OWNED as PART_OWNED, type Part } from '../changes/part.ts';
import { partCode } from '../changes/part-codes.ts';
import { type Statement, statement } from '../connection/statement.ts';
import { whereOnClock } from '../shared/clocked-list.ts';
import { columnNames, fixed, type Table } from '../shared/columns.ts';
import { facts, type StoredRow } from '../shared/facts-of-row.ts';
import { readPage, whereCreated, whereEqual, whereOwned } from '../shared/list-page.ts';
import {
  type ClockColumns,
  clockColumns,
  toClocked,
  withHeldClock,
} from '../test-clocks/object-clock.ts';
import type { Session } from '../transaction/session.ts';

const itemFacts = facts<Omit<InvoiceItem, 'clock'>>({
  customerId: 'fixed text',
  currency: 'fixed text',
  unitAmount: 'bigint',
  quantity: 'integer',
  amount: 'bigint',
  description: 'text',
  priceId: 'fixed text',
  periodStart: 'timestamptz',
  periodEnd: 'timestamptz',
  isProration: 'fixed boolean',
  isEdited: 'boolean',
  invoiceId: 'text',
  subscriptionId: 'fixed text',
  subscriptionItemId: 'fixed text',
  metadata: 'jsonb',
  created: 'fixed timestamptz',
  soldQuantity: 'optional fixed integer',
  createdBy: 'optional fixed jsonb',
  deletedAt: 'optional timestamptz',
});

export const invoiceItemTable: Table<InvoiceItem> = {
  name: 'invoice_items',
  code: 'it',
  columns: [...itemFacts.columns, fixed('test_clock_id', 'text', (item) => item.clock?.id ?? null)],
};

type ItemRow = StoredRow & ClockColumns;

const COLUMNS = columnNames(invoiceItemTable);
const OWNED = 'account_id = $1 AND livemode = $2';
const select = (s: string): string =>
  `SELECT ${COLUMNS.join(', ')}, ${clockColumns(s, 'i')} FROM ${s}.invoice_items i WHERE ${OWNED}`;
const WAITING = 'customer_id = $3 AND invoice_id IS NULL AND deleted_at IS NULL';
const find = statement('pm_invoice_items_find_v1', (s) => `${select(s)} AND id = $3`);
const findForUpdate = statement(
  'pm_invoice_items_lock_v1',
  (s) => `${select(s)} AND id = $3 FOR NO KEY UPDATE OF i`,
);
const countWaiting = statement(
  'pm_invoice_items_count_v1',
  (s) => `SELECT count(*)::integer AS count FROM ${s}.invoice_items WHERE ${OWNED} AND ${WAITING}`,
);
const oldestCurrency = statement(
  'pm_invoice_items_oldest_v1',
  (s) => `SELECT currency FROM ${s}.invoice_items WHERE ${OWNED} AND ${WAITING}
    ORDER BY id LIMIT 1`,
);
const take = statement(
  'pm_invoice_items_take_v1',
  (s) => `WITH taken AS (
      SELECT i.id FROM ${s}.invoice_items i WHERE ${OWNED} AND ${WAITING}
        AND currency = $4 AND (subscription_id IS NULL OR subscription_id = $5
          OR EXISTS (SELECT FROM ${s}.subscriptions u WHERE u.account_id = i.account_id
            AND u.livemode = i.livemode AND u.id = i.subscription_id
            AND u.status IN ('canceled', 'incomplete_expired')))
      ORDER BY i.id LIMIT $7 FOR NO KEY UPDATE OF i),
    updated AS (
      UPDATE ${s}.invoice_items i SET invoice_id = $6, version = version + 1
      FROM taken WHERE ${OWNED} AND i.id = taken.id AND i.invoice_id IS NULL
      RETURNING ${COLUMNS.map((name) => `i.${name}`).join(', ')})
    SELECT *, ${clockColumns(s, 'updated')} FROM updated ORDER BY id`,
);
const insert = statement(
  'pm_invoice_items_insert_v1',
  (s) => `INSERT INTO ${s}.invoice_items (${COLUMNS.join(', ')})
    SELECT ${COLUMNS.map((name) => `r.${name}`).join(', ')}
    FROM jsonb_populate_recordset(NULL::${s}.invoice_items, $1::jsonb) r`,
);
const release = statement(
  'pm_invoice_items_release_v1',
  (s) => `UPDATE ${s}.invoice_items SET invoice_id = NULL, version = version + 1
    WHERE ${OWNED} AND invoice_id = $3 AND ($4::text[] IS NULL OR id = ANY ($4))`,
);
const dropProrations = statement(
  'pm_invoice_items_drop_v2',
  (s) => `UPDATE ${s}.invoice_items i SET deleted_at = $7, version = version + 1
    WHERE ${OWNED} AND subscription_id = $3
      AND is_proration AND invoice_id IS NULL AND deleted_at IS NULL
      AND EXISTS (SELECT FROM unnest($4::text[], $5::timestamptz[], $6::timestamptz[]) AS t (item, starts, ends)
        WHERE t.item = i.subscription_item_id AND i.period_start < t.ends AND t.starts < i.period_end)`,
);

/** Deletes what a merchant wrote about a customer on items that are on no invoice: no retention reaches them. */
export function forgetItemsPart(customerId: CustomerId): Part {
  return {
    code: partCode('forget_items'),
    values: [customerId],
    sql: ({ schema, at, alias, when }) => `${alias} AS (
  UPDATE ${schema}.invoice_items SET description = '', metadata = '{}', version = version + 1
  WHERE ${PART_OWNED} AND customer_id = ${at(0)}::text AND invoice_id IS NULL AND ${when})`,
  };
}

/** Invoice items on PostgreSQL. */
export function invoiceItemRows(session: Session): InvoiceItemRepository {
  const query = async (by: Statement, { accountId, environment }: Owner, ...more: unknown[]) => {
    const values = [accountId, livemode(environment), ...more];
    return (await session.query<ItemRow>(by, values)).rows;
  };
  const read = async (...of: Parameters<typeof query>) => (await query(...of)).map(toItem);
  return {
    find: async (owner, id) => (await read(find, owner, id))[0],
    findForUpdate: async (owner, id) =>
      withHeldClock(session, (await read(findForUpdate, owner, id))[0]),
    async countWaiting({ accountId, environment }, customerId) {
      const values = [accountId, livemode(environment), customerId];
      const { rows } = await session.query<{ count: number }>(countWaiting, values);
      return rows[0]?.count ?? 0;
    },
    async oldestCurrency({ accountId, environment }, customerId) {
      const values = [accountId, livemode(environment), customerId];
      const { rows } = await session.query<{ currency: string }>(oldestCurrency, values);
      return rows[0]?.currency;
    },
    async take(owner, { customerId, currency, subscriptionId = null }, invoice, limit) {
      return read(take, owner, customerId, currency, subscriptionId, invoice, limit);
    },
    async insert(items) {
      if (items.length === 0) return;
      await session.query(insert, [JSON.stringify(items.map(toRow))]);
    },
    async release(owner, invoice, only) {
      await query(release, owner, invoice, only ?? null);
    },
    async dropProrations(owner, { subscriptionId, times }, at) {
      if (times.length === 0) return;
      const ids = times.map(({ itemId }) => itemId);
      const starts = times.map(({ start }) => start);
      const ends = times.map(({ end }) => end);
      await query(dropProrations, owner, subscriptionId, ids, starts, ends, at);
    },
    async list(owner, filter, page) {
      const listed = {
        table: 'invoice_items',
        columns: [...COLUMNS, clockColumns(session.statements.schema, 't')],
        order: 'created',
        // An item that is deleted between two pages stays a cursor.
        within: (built: Knex.QueryBuilder) => {
          whereOwned(built, owner);
          const isOfOne = filter.customerId !== undefined || filter.invoiceId !== undefined;
          whereOnClock(built, filter.clock, { isOfOne });
        },
        narrow: (built: Knex.QueryBuilder) => {
          built.whereNull('deleted_at');
          whereEqual(built, 'customer_id', filter.customerId);
          whereEqual(built, 'invoice_id', filter.invoiceId);
          if (filter.isPending === true) built.whereNull('invoice_id');
          if (filter.isPending === false) built.whereNotNull('invoice_id');
          whereCreated(built, filter.created);
        },
      } as const;
      return readPage(session, listed, page, toItem);
    },
  };
}

/** The columns of an item by their names. */
function toRow(item: InvoiceItem): object {
  const { accountId, environment, id, version } = item;
  const columns = invoiceItemTable.columns.map(({ name, type, of }): [string, unknown] => {
    const value = of(item);
    return [name, type === 'jsonb' ? (JSON.parse(String(value)) as unknown) : value];
  });
  const owned = { account_id: accountId, livemode: livemode(environment), id, version };
  return { ...owned, ...Object.fromEntries(columns) };
}

function toItem(row: ItemRow): InvoiceItem {
  return itemFacts.read(row, toClocked(row));
}
