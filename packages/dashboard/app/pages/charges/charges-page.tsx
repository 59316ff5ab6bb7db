import type { Charge } from '../../api/resources.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { CREATED, TEST_CLOCK } from '../../ui/filters.tsx';
import { Money } from '../../ui/money.tsx';
import { ObjectLink } from '../../ui/object-link.tsx';
import { type Columns, ObjectList } from '../../ui/object-list.tsx';
import { Page } from '../../ui/page.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { methodOf, statusOf } from './charge-words.ts';

const STATUSES = ['pending', 'authorized', 'succeeded', 'failed', 'canceled'];
const EVERY_MS = 10_000;

const FILTERS = [{ label: 'Status', name: 'status', options: STATUSES }, CREATED, TEST_CLOCK];

const COLUMNS: Columns<Charge> = [
  {
    header: 'Amount',
    cell: ({ row }) => <Money amount={row.original.amount} currency={row.original.currency} />,
  },
  { header: 'ID', cell: ({ row }) => <ObjectLink id={row.original.id} /> },
  { header: 'Status', cell: ({ row }) => <StatusBadge status={statusOf(row.original)} /> },
  { header: 'Description', cell: ({ row }) => row.original.description },
  { header: 'Payment method', cell: ({ row }) => methodOf(row.original) },
  { header: 'Created', cell: ({ row }) => <Time at={row.original.created} /> },
];

export function ChargesPage() {
  return (
    <Page title="Charges" description="Payments of your customers.">
      <ObjectList<Charge>
        path="charges"
        filters={FILTERS}
        every={EVERY_MS}
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
