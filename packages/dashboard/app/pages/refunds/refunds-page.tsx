import type { Refund } from '../../api/resources.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { CREATED, TEST_CLOCK } from '../../ui/filters.tsx';
import { formatMoney } from '../../ui/minor-units.ts';
import { ObjectLink } from '../../ui/object-link.tsx';
import { type Columns, ObjectList } from '../../ui/object-list.tsx';
import { Page } from '../../ui/page.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { REASONS } from './refund-words.ts';

const EVERY_MS = 10_000;

const FILTERS = [{ label: 'Charge', name: 'charge', placeholder: 'ch_…' }, CREATED, TEST_CLOCK];

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
  return (
    <Page title="Refunds" description="What went back to your customers.">
      <ObjectList<Refund>
        path="refunds"
        filters={FILTERS}
        every={EVERY_MS}
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
