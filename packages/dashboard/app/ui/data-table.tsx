import { Box, Button, Group, Skeleton, Stack, Table } from '@mantine/core';
import { type ColumnDef, tableFeatures, useTable } from '@tanstack/react-table';
import type { ReactNode } from 'react';
import type { ListPage } from '../api/use-list.ts';
import { useAddress } from '../use-address.ts';
import classes from './data-table.module.css';
import { ErrorMessage } from './error-message.tsx';

const features = tableFeatures({});
const NOTHING: never[] = [];

/** The columns of a table. The first one names the row. Define them outside of components. */
export type Columns<Item extends object> = ColumnDef<typeof features, Item, unknown>[];

interface DataTableProps<Item extends object> {
  readonly list: ListPage<Item>;
  readonly columns: Columns<Item>;
  /** What the table shows, for screen readers. */
  readonly label: string;
  /** Shown if there are no rows. */
  readonly empty: ReactNode;
}

/** One page of a list. On a phone each row is a card. */
export function DataTable<Item extends { readonly id: string }>(props: DataTableProps<Item>) {
  const { list, columns, label, empty } = props;
  if (list.isPending) return <Loading label={label} />;
  return (
    <Box aria-busy={list.isStale}>
      <ErrorMessage error={list.error} retry={list.retry} />
      {list.items?.length === 0 && empty}
      {list.items !== undefined && list.items.length > 0 && (
        <Rows rows={list.items} columns={columns} label={label} />
      )}
      <Pager {...list} />
    </Box>
  );
}

interface RowsProps<Item extends { readonly id: string }> {
  readonly rows: readonly Item[];
  readonly columns: Columns<Item>;
  readonly label: string;
}

/** A table without pages. */
export function Rows<Item extends { readonly id: string }>({
  rows,
  columns,
  label,
}: RowsProps<Item>) {
  const data: readonly Item[] = rows.length === 0 ? NOTHING : rows;
  const table = useTable({ features, columns, data, getRowId: ({ id }) => id });
  return (
    <Table aria-label={label} className={classes['table'] ?? ''} verticalSpacing="xs">
      <Table.Thead>
        {table.getHeaderGroups().map((group) => (
          <Table.Tr key={group.id}>
            {group.headers.map((header) => (
              <Table.Th key={header.id} scope="col">
                <table.FlexRender header={header} />
              </Table.Th>
            ))}
          </Table.Tr>
        ))}
      </Table.Thead>
      <Table.Tbody>
        {table.getRowModel().rows.map((row) => (
          <Table.Tr key={row.id}>
            {row.getAllCells().map((cell) => (
              <Table.Td key={cell.id} data-label={cell.column.columnDef.header}>
                <table.FlexRender cell={cell} />
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Loading({ label }: { label: string }) {
  return (
    <Stack gap="xs" role="status" aria-label={`Loading ${label}`}>
      {[1, 2, 3, 4].map((row) => (
        <Skeleton key={row} h={36} />
      ))}
    </Stack>
  );
}

function Pager({ newer, older }: Pick<ListPage<never>, 'newer' | 'older'>) {
  const { change } = useAddress();
  if (newer === undefined && older === undefined) return null;
  return (
    <Group component="nav" aria-label="Pages of the list" mt="md" justify="flex-end">
      <Button
        variant="default"
        size="xs"
        disabled={newer === undefined}
        onClick={() => void change({ before: newer, after: undefined })}
      >
        Newer
      </Button>
      <Button
        variant="default"
        size="xs"
        disabled={older === undefined}
        onClick={() => void change({ after: older, before: undefined })}
      >
        Older
      </Button>
    </Group>
  );
}
