import { Group } from '@mantine/core';
import type { Refund } from '../../api/resources.ts';
import { useList } from '../../api/use-list.ts';
import { type Columns, DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { FilterText, FilterTime } from '../../ui/filter-text.tsx';
import { formatMoney } from '../../ui/minor-units.ts';
import { ObjectLink } from '../../ui/object-link.tsx';
import { Page } from '../../ui/page.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { useAddress } from '../../use-address.ts';
import { REASONS } from './refund-words.ts';

const EVERY_MS = 10_000;

const COLUMNS: Columns<Refund> = [
  {
    header: 'Amount',
    cell: ({ row: { original: refund } }) => (
      <ObjectLink id={refund.id} label={formatMoney(refund.amount, refund.currency)} />
    ),
  },
  { header: 'ID', cell: ({ row }) => <ObjectLink id={row.original.id} /> },
  { header: 'Status', cell: ({ row }) => <StatusBadge status={row.original.status} /> },
  { header: 'Charge', cell: ({ row }) => <ObjectLink id={row.original.charge} /> },
  {
    header: 'Reason',
    cell: ({ row: { original: refund } }) => refund.reason && REASONS[refund.reason],
  },
  { header: 'Created', cell: ({ row }) => <Time at={row.original.created} /> },
];

export function RefundsPage() {
  const { address } = useAddress();
  const { charge, from, to } = address;
  const list = useList<Refund>('refunds', { charge, created: { gte: from, lt: to } }, EVERY_MS);
  return (
    <Page title="Refunds" description="What went back to your customers.">
      <Group mb="md" align="flex-end">
        <FilterText label="Charge" name="charge" placeholder="ch_…" />
        <FilterTime label="From" name="from" />
        <FilterTime label="Before" name="to" />
      </Group>
      <DataTable
        list={list}
        columns={COLUMNS}
        label="Refunds"
        empty={
          <EmptyState title="There is no such refund">
            To refund a charge, open it and press Refund. Your server can refund with the API.
          </EmptyState>
        }
      />
    </Page>
  );
}
