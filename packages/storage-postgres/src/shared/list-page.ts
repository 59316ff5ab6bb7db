import {
  type CreatedFilter,
  livemode,
  type Owner,
  type Page,
  type PageRequest,
  PaymountError,
  type Reach,
  type ReachFilter,
} from '@paymount/core';
import knex, { type Knex } from 'knex';
import type { QueryResultRow } from 'pg';
import type { Session } from '../session.ts';

/** Only writes SQL: the host's own knex may rename identifiers or change results. */
const builder = knex({ client: 'pg' });

/** The rows that a page is taken from. */
export interface Listed {
  readonly table: string;
  /** Names, or expressions with an alias. */
  readonly columns: readonly string[];
  /** Leaves what the caller may see; cursors must be among it. */
  readonly within: (query: Knex.QueryBuilder) => void;
  /** Adds the filter. */
  readonly narrow?: (query: Knex.QueryBuilder) => void;
}

/**
 * One page, newest first, of a table whose ids sort by creation.
 * @throws `invalid_cursor` when a cursor is not the id of a row that the caller may see
 */
export async function pageOf<Row extends QueryResultRow>(
  session: Session,
  listed: Listed,
  page: PageRequest,
): Promise<Page<Row>> {
  const rowsOf = (): Knex.QueryBuilder => rowsWithin(session, listed);
  await assertCursor(session, rowsOf, 'starting_after', page.startingAfter);
  await assertCursor(session, rowsOf, 'ending_before', page.endingBefore);
  const backwards = page.endingBefore !== undefined && page.startingAfter === undefined;
  const query = selected(session, listed)
    .limit(page.limit + 1)
    .orderBy('id', backwards ? 'asc' : 'desc');
  if (page.startingAfter !== undefined) query.where('id', '<', page.startingAfter);
  if (page.endingBefore !== undefined) query.where('id', '>', page.endingBefore);
  const found = await session.build<Row>(query);
  const rows = found.slice(0, page.limit);
  return { data: backwards ? rows.reverse() : rows, hasMore: found.length > page.limit };
}

/**
 * All rows, in batches: for exports of any length.
 * @param walk `by`: columns that no two rows share, in whose order rows become visible
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

function rowsWithin(session: Session, listed: Listed): Knex.QueryBuilder {
  // The name was quoted, and may hold capitals; knex would quote it again.
  const query = builder(builder.raw(`${session.statements.schema}.${listed.table} AS t`));
  listed.within(query);
  return query;
}

function selected(session: Session, listed: Listed): Knex.QueryBuilder {
  const query = rowsWithin(session, listed);
  listed.narrow?.(query);
  return query.select(listed.columns.map((column) => builder.raw(column)));
}

/** One page of what an owner has. @throws `invalid_cursor` as `pageOf` */
export function listPage<Row extends QueryResultRow>(
  session: Session,
  table: string,
  columns: readonly string[],
  request: { readonly owner: Owner; readonly page: PageRequest },
  narrow: (query: Knex.QueryBuilder) => void = () => undefined,
): Promise<Page<Row>> {
  const { accountId, environment } = request.owner;
  const within = (query: Knex.QueryBuilder): void => {
    query.where({ account_id: accountId, livemode: livemode(environment) });
  };
  return pageOf(session, { table, columns, within, narrow }, request.page);
}

async function assertCursor(
  session: Session,
  rowsOf: () => Knex.QueryBuilder,
  param: string,
  id: string | undefined,
): Promise<void> {
  if (id === undefined) return;
  const rows = await session.build<{ id: string }>(rowsOf().select('id').where({ id }).limit(1));
  if (rows.length > 0) return;
  throw new PaymountError('invalid_cursor', `${param} is not the id of an object of this list.`, {
    param,
  });
}

/** Leaves what an admin may see, of a table with `account_id` and `livemode`. */
export function whereReached(query: Knex.QueryBuilder, { accounts, environments }: Reach): void {
  if (accounts !== 'all') query.whereIn('account_id', accounts);
  query.whereIn('livemode', environments.map(livemode));
}

/** Adds the filters that every list of an admin takes. */
export function whereFiltered(query: Knex.QueryBuilder, filter: ReachFilter): void {
  whereEqual(query, 'account_id', filter.account);
  whereEqual(query, 'status', filter.status);
  if (filter.environment !== undefined) query.where({ livemode: livemode(filter.environment) });
}

/** Adds the bounds on `created`. */
export function whereCreated(query: Knex.QueryBuilder, filter: CreatedFilter | undefined): void {
  if (filter?.gt) query.where('created', '>', filter.gt);
  if (filter?.gte) query.where('created', '>=', filter.gte);
  if (filter?.lt) query.where('created', '<', filter.lt);
  if (filter?.lte) query.where('created', '<=', filter.lte);
}

/** Adds an equality where the filter has a value. */
export function whereEqual(query: Knex.QueryBuilder, column: string, value?: string): void {
  if (value !== undefined) query.where(column, value);
}
