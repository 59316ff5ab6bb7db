import type { Column } from '../shared/columns.ts';

/** Up to this number of rows, each count has its own statement, which is fastest. */
const FEW = 4;

/** Rows that a part of a change inserts, as a FROM item called `n`. */
export interface RowSource {
  /** Distinguishes texts: the number of rows, if there are few. */
  readonly code: string;
  readonly values: readonly unknown[];
  readonly sql: (at: (index: number) => string) => string;
}

/** Makes the rows of a part: `rowSource` or `manyRows`. */
export type ToRows = <Row>(columns: readonly Column<Row>[], rows: readonly Row[]) => RowSource;

/** One array per column, so that the number of rows is not part of the text. */
export function manyRows<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): RowSource {
  return {
    code: 'n',
    values: columns.map(({ of }) => rows.map(of)),
    sql: (at) =>
      `unnest(${columns.map(({ type }, index) => `${at(index)}::${type}[]`).join(', ')}) ${toAlias(columns)}`,
  };
}

/** A few rows are written as VALUES, which is fastest; more as `manyRows`. */
export function rowSource<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): RowSource {
  if (rows.length > FEW) return manyRows(columns, rows);
  const row = (at: (index: number) => string): string =>
    `(${columns.map(({ type }, index) => `${at(index)}::${type}`).join(', ')})`;
  return {
    code: String(rows.length),
    values: rows.flatMap((each) => columns.map(({ of }) => of(each))),
    sql: (at) =>
      `(VALUES ${rows.map((_, line) => row((index) => at(line * columns.length + index))).join(', ')}) ${toAlias(columns)}`,
  };
}

function toAlias(columns: readonly { readonly name: string }[]): string {
  return `AS n (${columns.map(({ name }) => name).join(', ')})`;
}
