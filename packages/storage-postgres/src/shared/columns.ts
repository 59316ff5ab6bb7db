/** One column of a resource's table, and how to get its value. */
export interface Column<Resource> {
  readonly name: string;
  /** SQL type of the parameter. */
  readonly type: string;
  readonly of: (resource: Resource) => unknown;
  /** Only the insert writes it. */
  readonly fixed?: true;
  /** A time of the database's clock, not of the writer's clock. */
  readonly due?: true;
  /**
   * SQL of what an update makes of the stored value, from the placeholder of `of`; the insert leaves
   * the default of the column.
   */
  readonly derived?: (value: string) => string;
}

/** The fields that every resource has; account and environment come from the change. */
export interface Versioned {
  readonly id: string;
  readonly version: number;
}

/** A resource's table, as far as changes write it. */
export interface Table<Resource extends Versioned> {
  readonly name: string;
  /** Small letters that stand for the table in the names of prepared statements. */
  readonly code: string;
  readonly columns: readonly Column<Resource>[];
}

interface Listable {
  readonly columns: readonly { readonly name: string }[];
}

/** The names of all columns of a table, to select them. */
export function columnNames({ columns }: Listable): string[] {
  return ['account_id', 'livemode', 'id', 'version', ...columns.map(({ name }) => name)];
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
 * A future time: as far after the database's time as `of` is after the time of the change. So a
 * wait has the intended length even if the clocks of two machines differ.
 */
export function due<Resource>(
  name: string,
  of: (resource: Resource) => Date | null,
): Column<Resource> {
  return { name, type: 'timestamptz', of, due: true };
}

/** A column that updates derive from its stored value and `of`, and that inserts leave alone. */
export function derived<Resource>(
  name: string,
  { type, of }: Pick<Column<Resource>, 'type' | 'of'>,
  next: (value: string) => string,
): Column<Resource> {
  return { name, type, of, derived: next };
}

/** The parameter of a jsonb column, as text; pg would turn an array into a PostgreSQL array. */
export function json(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value);
}
