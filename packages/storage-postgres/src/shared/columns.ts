import type { PartKind } from '../changes/part-codes.ts';

/** One column of a resource's table, and where its value comes from. */
export interface Column<Resource> {
  readonly name: string;
  /** SQL type of the parameter. */
  readonly type: string;
  readonly of: (resource: Resource) => unknown;
  /** Written by the insert only. */
  readonly fixed?: true;
  /** A time by the database's clock, not by the clock of the writer. */
  readonly due?: true;
}

/** What every resource has; account and environment come from the change. */
export interface Versioned {
  readonly id: string;
  readonly version: number;
}

/** A resource's table, as far as changes write it. */
export interface Table<Resource extends Versioned> {
  /** The part codes of prepared statements name it too. */
  readonly name: PartKind;
  readonly columns: readonly Column<Resource>[];
}

/** A column that later writes replace. */
export function column<Resource>(
  name: string,
  type: string,
  of: (resource: Resource) => unknown,
): Column<Resource> {
  return { name, type, of };
}

/** A column that never changes once the row is there. */
export function fixed<Resource>(
  name: string,
  type: string,
  of: (resource: Resource) => unknown,
): Column<Resource> {
  return { name, type, of, fixed: true };
}

/**
 * A time to come: as far after the database's time as `of` is after the time of the change. So the
 * clocks of two machines may differ, and a wait is as long as it was meant.
 */
export function due<Resource>(
  name: string,
  of: (resource: Resource) => Date | null,
): Column<Resource> {
  return { name, type: 'timestamptz', of, due: true };
}

/** The parameter of a jsonb column; pg would make a PostgreSQL array of an array. */
export function json(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value);
}
