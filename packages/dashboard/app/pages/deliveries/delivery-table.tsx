import { useMemo } from 'react';
import { useMay } from '../../api/place.ts';
import type { Query } from '../../api/request.ts';
import type { Delivery } from '../../api/resources.ts';
import { useList } from '../../api/use-list.ts';
import { type Columns, DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { type Filter, Filters, useFilters } from '../../ui/filters.tsx';
import { ObjectLink } from '../../ui/object-link.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { failureName } from './failures.ts';
import { ResendMany, SelectDelivery } from './resend-many.tsx';

const EVERY_MS = 10_000;

const COLUMNS: Columns<Delivery> = [
  {
    header: 'Delivery',
    cell: ({ row }) => <ObjectLink id={row.original.id} label={row.original.event_type} />,
  },
  { header: 'Status', cell: ({ row }) => <StatusBadge status={row.original.status} /> },
  { header: 'Last answer', cell: ({ row }) => lastAnswerOf(row.original) },
  { header: 'Attempts', cell: ({ row }) => `${attemptsOf(row.original)} of 8` },
  { header: 'Endpoint', cell: ({ row }) => <ObjectLink id={row.original.endpoint} /> },
  { header: 'Event', cell: ({ row }) => <ObjectLink id={row.original.event} /> },
  { header: 'Created', cell: ({ row }) => <Time at={row.original.created} /> },
  {
    header: 'Next attempt',
    cell: ({ row: { original: delivery } }) =>
      delivery.status === 'pending' ? <Time at={delivery.due_at} /> : '-',
  },
];
const SELECTABLE: Columns<Delivery> = [
  { header: 'Select', cell: ({ row }) => <SelectDelivery delivery={row.original} /> },
  ...COLUMNS,
];

/** What the last attempt got: a status, or why there was none. */
function lastAnswerOf({ last_status: status, last_error: error }: Delivery): string {
  return status?.toString() ?? (error === null ? '-' : failureName(error));
}

/** How many attempts were made: a delivery that has not ended counts its next one. */
function attemptsOf({ status, attempt }: Delivery): number {
  return status === 'succeeded' || status === 'failed' ? attempt : attempt - 1;
}

interface DeliveryTableProps {
  /** What all of them have in common. */
  readonly query?: Query;
  readonly filters?: readonly Filter[];
}

const NO_FILTERS: readonly Filter[] = [];

/** Deliveries, which may be sent again from here. */
export function DeliveryTable({ query = {}, filters = NO_FILTERS }: DeliveryTableProps) {
  const mayResend = useMay('deliveries.replay');
  // What all rows have in common needs no column.
  const common = Object.keys(query).join();
  const columns = useMemo(() => {
    const names = common.split(',');
    const all = mayResend ? SELECTABLE : COLUMNS;
    return all.filter(({ header }) => !names.includes(String(header).toLowerCase()));
  }, [mayResend, common]);
  const list = useList<Delivery>('deliveries', { ...useFilters(filters), ...query }, EVERY_MS);
  const table = (
    <DataTable
      list={list}
      columns={columns}
      label="Deliveries"
      empty={
        <EmptyState
          title="There is no such delivery"
          command="npx @paymount/cli trigger charge.succeeded"
        >
          Each event is delivered to the endpoints that want its type. This command makes one in
          test. Deliveries are kept for 30 days.
        </EmptyState>
      }
    />
  );
  return (
    <>
      <Filters of={filters} />
      {mayResend ? <ResendMany deliveries={list.items ?? []}>{table}</ResendMany> : table}
    </>
  );
}
