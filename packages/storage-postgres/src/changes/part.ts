import type { Column, Table, Versioned } from '../shared/columns.ts';

/** Where one part of a change's statement stands. */
export interface Place {
  /** Quoted schema. */
  readonly schema: string;
  /** The placeholder of the part's n-th value (from 0). */
  readonly at: (index: number) => string;
  /** Unique prefix for the names of the part's CTEs. */
  readonly alias: string;
  /** A condition that holds when every guard before this part has passed. */
  readonly when: string;
}

/**
 * One named part of the single statement that commits a change. The texts of equal sequences of
 * codes are equal, so that each sequence is one prepared statement.
 */
export interface Part {
  readonly code: string;
  /** A guard returns a row in a CTE called `alias` when it passed. */
  readonly guard?: 'claimed' | 'raced' | 'access_changed';
  /** This guard writes nothing, so nothing is to be undone when a later one does not pass. */
  readonly reads?: true;
  readonly sql: (place: Place) => string;
  readonly values: readonly unknown[];
}

/** `$1` and `$2` of every change: the owner. */
export const OWNER = '$1::text, $2::boolean';
export const OWNED = 'account_id = $1::text AND livemode = $2::boolean';

/** Adds a row; its version is 1. */
export function insertPart<Resource extends Versioned>(
  table: Table<Resource>,
  resource: Resource,
): Part {
  const { columns } = table;
  return {
    code: `${table.code}i`,
    values: [resource.id, resource.version, ...columns.map(({ of }) => of(resource))],
    sql: ({ schema, at, alias, when }) => `${alias} AS (
  INSERT INTO ${schema}.${table.name}
    (account_id, livemode, id, version, ${columns.map(({ name }) => name).join(', ')})
  SELECT ${OWNER}, ${at(0)}::text, ${at(1)}::integer,
    ${columns.map(({ type }, index) => `${at(index + 2)}::${type}`).join(', ')}
  WHERE ${when})`,
  };
}

/** Replaces the row of the version before; otherwise the change is raced. */
export function updatePart<Resource extends Versioned>(
  table: Table<Resource>,
  resource: Resource,
): Part {
  const columns = table.columns.filter(isReplaceable);
  return {
    code: `${table.code}u`,
    guard: 'raced',
    values: [resource.id, resource.version, ...columns.map(({ of }) => of(resource))],
    sql: ({ schema, at, alias, when }) => `${alias} AS (
  UPDATE ${schema}.${table.name} SET version = ${at(1)}::integer,
    ${columns.map(({ name, type }, index) => `${name} = ${at(index + 2)}::${type}`).join(', ')}
  WHERE ${OWNED} AND id = ${at(0)}::text AND version = ${at(1)}::integer - 1 AND ${when}
  RETURNING id)`,
  };
}

function isReplaceable<Resource>(column: Column<Resource>): boolean {
  return column.fixed !== true;
}
