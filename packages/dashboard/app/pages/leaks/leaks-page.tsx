import { Group } from '@mantine/core';
import type { Leak } from '../../api/resources.ts';
import { useList } from '../../api/use-list.ts';
import { type Columns, DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { FilterSelect } from '../../ui/filter-select.tsx';
import { ObjectLink } from '../../ui/object-link.tsx';
import { Page } from '../../ui/page.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { useAddress } from '../../use-address.ts';
import { ACTIONS, KINDS } from './leak-words.ts';

const COLUMNS: Columns<Leak> = [
  {
    header: 'Leaked',
    cell: ({ row }) => (
      <ObjectLink id={row.original.id} label={KINDS[row.original.credential.kind]} />
    ),
  },
  { header: 'Value', cell: ({ row }) => <code>{row.original.credential.redacted}</code> },
  { header: 'Reported by', cell: ({ row }) => row.original.source },
  { header: 'What was done', cell: ({ row }) => ACTIONS[row.original.action] },
  { header: 'Status', cell: ({ row }) => <StatusBadge status={row.original.status} /> },
  { header: 'Reported', cell: ({ row }) => <Time at={row.original.created} /> },
];

export function LeaksPage() {
  const { address } = useAddress();
  const list = useList<Leak>('leaks', { status: address['status'] });
  return (
    <Page title="Leaks" description="Keys and secrets of this account that others could see.">
      <Group mb="md">
        <FilterSelect label="Status" name="status" options={['open', 'dismissed']} />
      </Group>
      <DataTable
        list={list}
        columns={COLUMNS}
        label="Leaks"
        empty={
          <EmptyState title="There is no such leak" command="npx paymount scan --history">
            This command searches your repository for keys, also in its history.
          </EmptyState>
        }
      />
    </Page>
  );
}
