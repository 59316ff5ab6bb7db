import type { StoredRow } from './facts-of-row.ts';

/** A table that a statement joins to another one, so that one answer has the rows of both. */
export interface JoinedTable<Row extends StoredRow> {
  /** The columns for SELECT, from the table or its alias; none of them has a name of another table. */
  readonly columns: (alias: string) => string;
  /** The row that was joined; undefined if there was none. */
  readonly read: (joined: object) => Row | undefined;
}

/** @param prefix of the names, in small letters */
export function joinedTable<Row extends StoredRow>(
  prefix: string,
  names: readonly string[],
): JoinedTable<Row> {
  const pairs = names.map((name) => [name, `${prefix}_${name}`] as const);
  return {
    columns: (alias) => pairs.map(([name, as]) => `${alias}.${name} AS ${as}`).join(', '),
    read(joined) {
      const values = joined as Readonly<Record<string, unknown>>;
      if (values[`${prefix}_id`] === null) return undefined;
      const row: Record<string, unknown> = {};
      for (const [name, as] of pairs) row[name] = values[as];
      return row as unknown as Row;
    },
  };
}
