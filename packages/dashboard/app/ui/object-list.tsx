import type { ReactNode } from 'react';
import { useList } from '../api/use-list.ts';
import { type Columns, DataTable } from './data-table.tsx';
import { type Filter, Filters, useFilters } from './filters.tsx';

export type { Columns };

interface ObjectListProps<Item extends object> {
  /** Below the environment, such as `keys`. */
  readonly path: string;
  readonly columns: Columns<Item>;
  /** Define them outside of components. */
  readonly filters?: readonly Filter[];
  /** How long until the first page is read again. @defaultValue not at all */
  readonly every?: number;
  /** What the table shows, for screen readers. */
  readonly label: string;
  /** Shown if there are no rows. */
  readonly empty: ReactNode;
}

const NO_FILTERS: readonly Filter[] = [];

/** A list of the server with its filters, one page at a time. */
export function ObjectList<Item extends { readonly id: string }>(props: ObjectListProps<Item>) {
  const { path, filters = NO_FILTERS, every = false, ...table } = props;
  const list = useList<Item>(path, useFilters(filters), every);
  return (
    <>
      <Filters of={filters} />
      <DataTable list={list} {...table} />
    </>
  );
}
