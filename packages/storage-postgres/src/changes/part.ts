import type { Column, Table, Versioned } from '../shared/columns.ts';
import { rowCode } from './part-codes.ts';

/** The context of one part in a change's statement. */
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
 * One named part of the single statement that commits a change. Equal sequences of codes have equal
 * texts, so that each sequence is one prepared statement.
 */
export interface Part {
  readonly code: string;
  /** A guard returns a row in a CTE called `alias` when it passed. */
  readonly guard?: 'claimed' | 'raced' | 'access_changed' | 'endpoints_changed' | 'hook_missing';
  /** This guard writes nothing, so nothing must be undone if a later one does not pass. */
  readonly reads?: true;
  readonly sql: (place: Place) => string;
  readonly values: readonly unknown[];
}

/** `$1` and `$2` of every change: the owner. */
export const OWNER = '$1::text, $2::boolean';
export const OWNED = 'account_id = $1::text AND livemode = $2::boolean';

/**
 * Adds a row; its version is 1.
 * @param decidedAt what the machine's clock said, for columns that are `due`
 */
export function insertPart<Resource extends Versioned>(
  table: Table<Resource>,
  resource: Resource,
  decidedAt?: Date,
): Part {
  const columns = table.columns.filter(({ derived }) => derived === undefined);
  const decided = columns.length + 2;
  return {
    code: rowCode(table, 'i'),
    values: toValues(resource, columns, decidedAt),
    sql: ({ schema, at, alias, when }) => `${alias} AS (
  INSERT INTO ${schema}.${table.name}
    (account_id, livemode, id, version, ${columns.map(({ name }) => name).join(', ')})
  SELECT ${OWNER}, ${at(0)}::text, ${at(1)}::integer,
    ${columns.map((column, index) => written(column, at(index + 2), at(decided))).join(', ')}
  WHERE ${when})`,
  };
}

/**
 * Replaces the row if it has the previous version; otherwise the change is raced.
 * @param decidedAt what the machine's clock said, for columns that are `due`
 */
export function updatePart<Resource extends Versioned>(
  table: Table<Resource>,
  resource: Resource,
  decidedAt?: Date,
): Part {
  const columns = table.columns.filter(isReplaceable);
  const decided = columns.length + 2;
  return {
    code: rowCode(table, 'u'),
    guard: 'raced',
    values: toValues(resource, columns, decidedAt),
    sql: ({ schema, at, alias, when }) => `${alias} AS (
  UPDATE ${schema}.${table.name} SET version = ${at(1)}::integer,
    ${columns.map((column, index) => rewritten(column, at(index + 2), at(decided))).join(', ')}
  WHERE ${OWNED} AND id = ${at(0)}::text AND version = ${at(1)}::integer - 1 AND ${when}
  RETURNING id)`,
  };
}

function toValues<Resource extends Versioned>(
  resource: Resource,
  columns: readonly Column<Resource>[],
  decidedAt: Date | undefined,
): readonly unknown[] {
  const values = columns.map(({ of }) => of(resource));
  const clock = columns.some(({ due }) => due) ? [decidedAt] : [];
  return [resource.id, resource.version, ...values, ...clock];
}

function written<Resource>(column: Column<Resource>, value: string, decided: string): string {
  const given = `${value}::${column.type}`;
  if (!column.due) return given;
  // In milliseconds, the precision with which it is read, so that the comparison works.
  return `date_trunc('milliseconds',
      ${given} + (statement_timestamp() - ${decided}::timestamptz))`;
}

/** An unchanged time is already the database's. */
function rewritten<Resource>(column: Column<Resource>, value: string, decided: string): string {
  const { name, type, due, derived } = column;
  if (derived) return `${name} = ${derived(`${value}::${type}`)}`;
  const next = written(column, value, decided);
  if (!due) return `${name} = ${next}`;
  return `${name} = CASE WHEN ${name} = ${value}::${type} THEN ${name} ELSE ${next} END`;
}

function isReplaceable<Resource>(column: Column<Resource>): boolean {
  return column.fixed !== true;
}
