import { Group } from '@mantine/core';
import type { AuditEntry } from '../../api/resources.ts';
import { useList } from '../../api/use-list.ts';
import { type Columns, DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { FilterText, FilterTime } from '../../ui/filter-text.tsx';
import { ObjectLink } from '../../ui/object-link.tsx';
import { Page } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { useAddress } from '../../use-address.ts';

const COLUMNS: Columns<AuditEntry> = [
  {
    header: 'Change',
    cell: ({ row }) => <ObjectLink id={row.original.id} label={row.original.action} />,
  },
  { header: 'Changed', cell: ({ row }) => <ObjectLink id={row.original.target} /> },
  { header: 'By', cell: ({ row }) => `${row.original.actor.type} ${row.original.actor.id}` },
  { header: 'Address', cell: ({ row }) => row.original.ip ?? '-' },
  { header: 'Time', cell: ({ row }) => <Time at={row.original.created} exact /> },
];

export function AuditPage() {
  const { address } = useAddress();
  const { target, actor, from, to } = address;
  const query = { target, actor, created: { gte: from, lt: to } };
  const list = useList<AuditEntry>('audit', query);
  return (
    <Page
      title="Audit log"
      description="Who changed what in this account. Entries cannot be changed."
    >
      <Group mb="md" align="flex-end">
        <FilterText label="Changed" name="target" placeholder="key_…" />
        <FilterText label="By" name="actor" placeholder="ID of a user or key" />
        <FilterTime label="From" name="from" />
        <FilterTime label="Before" name="to" />
      </Group>
      <DataTable
        list={list}
        columns={COLUMNS}
        label="Audit log"
        empty={<EmptyState title="There is no such entry" />}
      />
    </Page>
  );
}
