import {
  type CreatedFilter,
  livemode,
  type Owner,
  type Page,
  type PageRequest,
  PaymountError,
} from '@paymount/core';
import knex, { type Knex } from 'knex';
import type { QueryResultRow } from 'pg';
import type { Session } from '../session.ts';

/** Only writes SQL: the host's own knex may rename identifiers or change results. */
const builder = knex({ client: 'pg' });

/**
 * One page, newest first, of a table whose key is (account_id, livemode, id).
 * @param narrow adds the filter
 * @throws `invalid_cursor` when a cursor is not the id of a row of this owner
 */
export async function listPage<Row extends QueryResultRow>(
  session: Session,
  table: string,
  columns: readonly string[],
  request: { readonly owner: Owner; readonly page: PageRequest },
  narrow: (query: Knex.QueryBuilder) => void = () => undefined,
): Promise<Page<Row>> {
  const { owner, page } = request;
  const rowsOf = (): Knex.QueryBuilder =>
    // The name was quoted, and may hold capitals; knex would quote it again.
    builder(builder.raw(`${session.statements.schema}.${table} AS t`)).where({
      account_id: owner.accountId,
      livemode: livemode(owner.environment),
    });
  await assertCursor(session, rowsOf, 'starting_after', page.startingAfter);
  await assertCursor(session, rowsOf, 'ending_before', page.endingBefore);
  const backwards = page.endingBefore !== undefined && page.startingAfter === undefined;
  const query = rowsOf()
    .select(columns)
    .limit(page.limit + 1);
  query.orderBy('id', backwards ? 'asc' : 'desc');
  if (page.startingAfter !== undefined) query.where('id', '<', page.startingAfter);
  if (page.endingBefore !== undefined) query.where('id', '>', page.endingBefore);
  narrow(query);
  const found = await session.build<Row>(query);
  const rows = found.slice(0, page.limit);
  return { data: backwards ? rows.reverse() : rows, hasMore: found.length > page.limit };
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
