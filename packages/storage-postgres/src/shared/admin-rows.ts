import {
  type AccountId,
  type AdminListFilter,
  type AdminScope,
  type CreatedFilter,
  type Environment,
  livemode,
  type Page,
  type PageRequest,
  PaymountError,
} from '@paymount/core/kernel';
import type { QueryResultRow } from 'pg';
import type { Session } from '../transaction/session.ts';
import { readList } from './list-limits.ts';

/** A table with a key on account, environment and id. */
export interface AdminTable {
  readonly name: string;
  readonly columns: readonly string[];
}

/** The pairs of account and environment to read. */
export interface Asked {
  /** Null: all. */
  readonly accounts: readonly AccountId[] | null;
  readonly environments: readonly Environment[];
}

/** A condition on the rows `t`; `place` takes a value and its type, and gives its placeholder. */
export type Condition = (place: (value: unknown, type: string) => string) => string;

interface Wanted {
  readonly conditions: readonly Condition[];
  readonly page: PageRequest;
}

/** The query of an admin on a table. */
export function filtersWithin(
  { accounts, environments }: AdminScope,
  { account, environment }: Pick<AdminListFilter, 'account' | 'environment'> = {},
): Asked {
  const reached = account === undefined || accounts === 'all' || accounts.includes(account);
  const all = accounts === 'all' ? null : accounts;
  return {
    accounts: account === undefined ? all : reached ? [account] : [],
    environments: environments.filter((each) => environment === undefined || each === environment),
  };
}

/** `column operator value`, where there is a value. */
export function compared(
  column: string,
  operator: string,
  value: unknown,
  type: string,
): readonly Condition[] {
  return value === undefined ? [] : [(place) => `t.${column} ${operator} (${place(value, type)})`];
}

/** Of rows that a worker may be unable to do something about. */
export function failing(isFailing: boolean | undefined): readonly Condition[] {
  if (isFailing === undefined) return [];
  return [() => `t.failing IS ${isFailing ? 'NOT NULL' : 'NULL'}`];
}

/** The bounds on `created`. */
export function createdWithin(created: CreatedFilter | undefined): readonly Condition[] {
  return [
    ...compared('created', '>', created?.gt, 'timestamptz'),
    ...compared('created', '>=', created?.gte, 'timestamptz'),
    ...compared('created', '<', created?.lt, 'timestamptz'),
    ...compared('created', '<=', created?.lte, 'timestamptz'),
  ];
}

/** The row with an id, if the admin may see it. */
export async function findForAdmin<Row extends QueryResultRow>(
  session: Session,
  table: AdminTable,
  asked: Asked,
  id: string,
): Promise<Row | undefined> {
  const newest = { limit: 1, backwards: false };
  return (await fetchRows<Row>(session, table, asked, { ...newest, conditions: idIs(id) }))[0];
}

/**
 * One page of what an admin may see, newest first. It reads each pair of account and environment
 * separately, by the key of the table. That takes an admin some milliseconds and needs no further
 * index.
 * @throws `invalid_cursor` when a cursor is not the id of a row in the list; `list_too_slow`,
 *   `lists_busy`
 */
export function adminPage<Row extends QueryResultRow>(
  session: Session,
  table: AdminTable,
  asked: Asked,
  wanted: Wanted,
): Promise<Page<Row>> {
  return readList(session, (reading) => pageWithin<Row>(reading, table, asked, wanted));
}

async function pageWithin<Row extends QueryResultRow>(
  session: Session,
  table: AdminTable,
  asked: Asked,
  wanted: Wanted,
): Promise<Page<Row>> {
  const { conditions, page } = wanted;
  const { startingAfter, endingBefore, limit } = page;
  for (const [param, id] of [
    ['starting_after', startingAfter],
    ['ending_before', endingBefore],
  ] as const) {
    if (id === undefined || (await findForAdmin(session, table, asked, id))) continue;
    const message = `${param} is not the id of an object of this list.`;
    throw new PaymountError('invalid_cursor', message, { param });
  }
  const backwards = endingBefore !== undefined && startingAfter === undefined;
  const found = await fetchRows<Row>(session, table, asked, {
    conditions: [
      ...compared('id', '<', startingAfter, 'text'),
      ...compared('id', '>', endingBefore, 'text'),
      ...conditions,
    ],
    limit: limit + 1,
    backwards,
  });
  const data = found.slice(0, limit);
  return { data: backwards ? data.reverse() : data, hasMore: found.length > limit };
}

function idIs(id: string): readonly Condition[] {
  return compared('id', '=', id, 'text');
}

async function fetchRows<Row extends QueryResultRow>(
  session: Session,
  { name, columns }: AdminTable,
  { accounts, environments }: Asked,
  wanted: {
    readonly conditions: readonly Condition[];
    readonly limit: number;
    readonly backwards: boolean;
  },
): Promise<Row[]> {
  const { conditions, limit, backwards } = wanted;
  const values: unknown[] = [accounts, environments.map(livemode), limit];
  const place = (value: unknown, type: string): string => `$${values.push(value)}::${type}`;
  const { schema: s } = session.statements;
  const where = conditions.map((condition) => `AND ${condition(place)}`).join(' ');
  const ordered = `ORDER BY id ${backwards ? 'ASC' : 'DESC'} LIMIT $3`;
  const { rows } = await session.plain<Row>(
    `SELECT found.* FROM ${s}.accounts a CROSS JOIN unnest($2::boolean[]) AS l (livemode)
      CROSS JOIN LATERAL (SELECT ${columns.join(', ')} FROM ${s}.${name} t
        WHERE t.account_id = a.id AND t.livemode = l.livemode ${where} ${ordered}) found
      WHERE $1::text[] IS NULL OR a.id = ANY ($1) ${ordered.replace('id', 'found.id')}`,
    values,
  );
  return rows;
}
