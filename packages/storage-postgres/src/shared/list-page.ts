import {
  type AdminListFilter,
  type AdminScope,
  type CreatedFilter,
  livemode,
  type Owner,
  type Page,
  type PageRequest,
  PaymountError,
} from '@paymount/core/kernel';
import knex, { type Knex } from 'knex';
import type { QueryResultRow } from 'pg';
import type { Session } from '../transaction/session.ts';
import { readList } from './list-limits.ts';

/** Builds SQL only. The host's own knex may rename identifiers or change results. */
const builder = knex({ client: 'pg' });

/** The rows of a list. */
export interface Listed {
  readonly table: string;
  /** Names, or expressions with an alias. */
  readonly columns: readonly string[];
  /** Restricts to the rows that the caller may see; cursors must be among them. */
  readonly within: (query: Knex.QueryBuilder) => void;
  /** Adds the filter. */
  readonly narrow?: (query: Knex.QueryBuilder) => void;
  /**
   * Newest by `created` and id, for which the table must have an index, or by id alone.
   * @defaultValue id
   */
  readonly order?: 'created' | 'id';
  /**
   * Values of the index column before `created`: each is a separate range of the index, and the
   * page is merged from the beginnings of all ranges.
   */
  readonly ranges?: Ranges;
  /**
   * A query whose few rows are all read, instead of the table, and then sorted. It ends with
   * `OFFSET 0`, so that PostgreSQL does not read the table in the order of the list instead.
   */
  readonly source?: RawSql;
}

interface RawSql {
  readonly sql: string;
  readonly bindings: Knex.RawBinding[];
}

/** SQL of a table `p` with a row for each range. */
export interface Ranges extends RawSql {
  /** Which rows `t` are in the range `p`. */
  readonly on: string;
  /**
   * Whether the ranges contain only rows that the caller may see. Each is then read without
   * `within`, whose conditions could make PostgreSQL choose another index.
   * @defaultValue false
   */
  readonly areWithin?: boolean;
  /**
   * A query for the `id` and `created` of the rows of a range, from another table that has them.
   * Of the filter, only `created` applies to it. @defaultValue the table of the list
   */
  readonly keys?: string;
}

interface Cursor {
  readonly id: string;
  /** As text of the database, which is more precise than a Date. */
  readonly created?: string;
}

/**
 * One page, newest first.
 * @param toItem makes the item of a row
 * @throws `invalid_cursor` when a cursor is not the id of a row that the caller may see;
 *   `list_too_slow`, `lists_busy`
 */
export function readPage<Row extends QueryResultRow, Item>(
  session: Session,
  listed: Listed,
  page: PageRequest,
  toItem: (row: Row) => Item,
): Promise<Page<Item>> {
  return readList(session, async (reading) => {
    const after = await findCursor(reading, listed, 'starting_after', page.startingAfter);
    const before = await findCursor(reading, listed, 'ending_before', page.endingBefore);
    const backwards = before !== undefined && after === undefined;
    const newest = (query: Knex.QueryBuilder, prefix = ''): Knex.QueryBuilder =>
      query.limit(page.limit + 1).orderBy(
        orderColumns(listed).map((name) => ({
          column: `${prefix}${name}`,
          order: backwards ? 'asc' : 'desc',
        })),
      );
    const between = (query: Knex.QueryBuilder): Knex.QueryBuilder => {
      if (after) wherePast(query, '<', after);
      if (before) wherePast(query, '>', before);
      return query;
    };
    const query = listed.ranges
      ? merged(reading, { ...listed, ranges: listed.ranges }, between, newest)
      : newest(between(selected(reading, listed)));
    const found = await reading.build<Row>(query);
    const rows = found.slice(0, page.limit);
    const data = (backwards ? rows.reverse() : rows).map((row) => toItem(row));
    return { data, hasMore: found.length > page.limit };
  });
}

function orderColumns({ order }: Listed): readonly string[] {
  return order === 'created' ? ['created', 'id'] : ['id'];
}

function wherePast(query: Knex.QueryBuilder, operator: '<' | '>', { id, created }: Cursor): void {
  if (created === undefined) query.where('id', operator, id);
  else query.whereRaw(`(created, id) ${operator} (?::timestamptz, ?)`, [created, id]);
}

/** First the keys of the page, from the index alone, then its rows. */
function merged(
  session: Session,
  listed: Listed & { readonly ranges: Ranges },
  between: (query: Knex.QueryBuilder) => Knex.QueryBuilder,
  newest: (query: Knex.QueryBuilder, prefix?: string) => Knex.QueryBuilder,
): Knex.QueryBuilder {
  const { sql, bindings, on, keys: found, areWithin = false } = listed.ranges;
  const all = areWithin ? { ...listed, within: () => undefined } : listed;
  const source = found === undefined ? {} : { source: { sql: found, bindings: [] } };
  const range = narrowed(session, { ...all, ...(found && { within: () => undefined }), ...source })
    .select('id', 'created')
    .whereRaw(on);
  const lateral = builder.raw('LATERAL ? AS k', [newest(between(range))]);
  const keys = newest(
    builder
      .select({ key_id: 'k.id', key_created: 'k.created' })
      .from(builder.raw(`(${sql}) AS p`, bindings))
      .crossJoin(lateral),
    'k.',
  );
  const joined = builder.raw('? AS f', [keys]);
  const rows = rowsWithin(session, all).join(joined, 'f.key_id', 't.id');
  return newest(rows, 't.').select(listed.columns.map((column) => builder.raw(column)));
}

/**
 * All rows, in batches: for exports of any length.
 * @param walk `by`: unique columns, in whose order rows become visible
 */
export async function* allRows<Row extends QueryResultRow>(
  session: Session,
  listed: Listed,
  { by, batch }: { readonly by: readonly (keyof Row & string)[]; readonly batch: number },
): AsyncGenerator<Row> {
  let last: Row | undefined;
  for (;;) {
    const query = selected(session, listed)
      .orderBy([...by])
      .limit(batch);
    if (last !== undefined) {
      const places = by.map(() => '?').join(', ');
      query.whereRaw(`(${by.join(', ')}) > (${places})`, by.map(valueIn(last)));
    }
    const rows = await session.build<Row>(query);
    yield* rows;
    last = rows.at(-1);
    if (last === undefined || rows.length < batch) return;
  }
}

function valueIn<Row>(row: Row): (column: keyof Row) => Row[keyof Row] {
  return (column) => row[column];
}

function rowsWithin(session: Session, { table, source, within }: Listed): Knex.QueryBuilder {
  // The name is already quoted and may contain capitals; knex would quote it again.
  const named = source ? `(${source.sql})` : `${session.statements.schema}.${table}`;
  const query = builder(builder.raw(`${named} AS t`, source?.bindings ?? []));
  within(query);
  return query;
}

function narrowed(session: Session, listed: Listed): Knex.QueryBuilder {
  const query = rowsWithin(session, listed);
  listed.narrow?.(query);
  return query;
}

function selected(session: Session, listed: Listed): Knex.QueryBuilder {
  return narrowed(session, listed).select(listed.columns.map((column) => builder.raw(column)));
}

/** Restricts to the rows of an owner. */
export function whereOwned(query: Knex.QueryBuilder, { accountId, environment }: Owner): void {
  query.where({ account_id: accountId, livemode: livemode(environment) });
}

async function findCursor(
  session: Session,
  listed: Listed,
  param: string,
  id: string | undefined,
): Promise<Cursor | undefined> {
  if (id === undefined) return undefined;
  const columns = orderColumns(listed).map((name) => builder.raw(`${name}::text AS ${name}`));
  const { source: _, ...table } = listed;
  const query = rowsWithin(session, table).select(columns).where({ id }).limit(1);
  const [cursor] = await session.build<Cursor>(query);
  if (cursor !== undefined) return cursor;
  throw new PaymountError('invalid_cursor', `${param} is not the id of an object of this list.`, {
    param,
  });
}

/** Restricts a table with `account_id` and `livemode` to the rows that an admin may see. */
export function whereInAdminScope(
  query: Knex.QueryBuilder,
  { accounts, environments }: AdminScope,
): void {
  if (accounts !== 'all') query.whereIn('account_id', accounts);
  query.whereIn('livemode', environments.map(livemode));
}

/** Adds the filters that every list of an admin takes. */
export function whereFiltered(query: Knex.QueryBuilder, filter: AdminListFilter): void {
  whereEqual(query, 'account_id', filter.account);
  whereEqual(query, 'status', filter.status);
  if (filter.environment !== undefined) query.where({ livemode: livemode(filter.environment) });
}

/** Adds the bounds on `created`, or on another time. */
export function whereCreated(
  query: Knex.QueryBuilder,
  filter: CreatedFilter | undefined,
  column = 'created',
): void {
  if (filter?.gt) query.where(column, '>', filter.gt);
  if (filter?.gte) query.where(column, '>=', filter.gte);
  if (filter?.lt) query.where(column, '<', filter.lt);
  if (filter?.lte) query.where(column, '<=', filter.lte);
}

/** Adds an equality if the filter has a value. */
export function whereEqual(query: Knex.QueryBuilder, column: string, value?: string): void {
  if (value !== undefined) query.where(column, value);
}
