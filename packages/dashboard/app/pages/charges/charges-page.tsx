import { Group } from '@mantine/core';
import type { Charge } from '../../api/resources.ts';
import { useList } from '../../api/use-list.ts';
import { type Columns, DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { FilterSelect } from '../../ui/filter-select.tsx';
import { FilterTime } from '../../ui/filter-text.tsx';
import { Money } from '../../ui/money.tsx';
import { ObjectLink } from '../../ui/object-link.tsx';
import { Page } from '../../ui/page.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { useAddress } from '../../use-address.ts';

const STATUSES = ['pending', 'authorized', 'succeeded', 'failed', 'canceled'];
const EVERY_MS = 10_000;

const COLUMNS: Columns<Charge> = [
  {
    header: 'Amount',
    cell: ({ row }) => <Money amount={row.original.amount} currency={row.original.currency} />,
  },
  { header: 'ID', cell: ({ row }) => <ObjectLink id={row.original.id} /> },
  { header: 'Status', cell: ({ row }) => <StatusBadge status={statusOf(row.original)} /> },
  { header: 'Description', cell: ({ row }) => row.original.description },
  { header: 'Card', cell: ({ row }) => cardOf(row.original) },
  { header: 'Created', cell: ({ row }) => <Time at={row.original.created} /> },
];

function statusOf({ status, refunded }: Charge): string {
  return refunded ? 'refunded' : status;
}

function cardOf({ payment_method_details: { card } }: Charge): string {
  return `${card.brand} …${card.last4}`;
}

export function ChargesPage() {
  const { address } = useAddress();
  const { status, from, to } = address;
  const list = useList<Charge>('charges', { status, created: { gte: from, lt: to } }, EVERY_MS);
  return (
    <Page title="Charges" description="Payments of your customers.">
      <Group mb="md" align="flex-end">
        <FilterSelect label="Status" name="status" options={STATUSES} />
        <FilterTime label="From" name="from" />
        <FilterTime label="Before" name="to" />
      </Group>
      <DataTable
        list={list}
        columns={COLUMNS}
        label="Charges"
        empty={
          <EmptyState title="There is no such charge">
            Your server makes charges with a secret key. They appear here at once.
          </EmptyState>
        }
      />
    </Page>
  );
}
