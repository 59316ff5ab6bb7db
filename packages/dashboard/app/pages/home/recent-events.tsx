import type { Page, StoredEvent } from '../../api/resources.ts';
import { useObject } from '../../api/use-object.ts';
import { type Columns, Rows } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorMessage } from '../../ui/error-message.tsx';
import { ObjectLink } from '../../ui/object-link.tsx';
import { Time } from '../../ui/time.tsx';

const EVERY_MS = 10_000;
/** The query of the newest events, which the page shows. */
export const NEWEST_EVENTS = { limit: 5 } as const;

const COLUMNS: Columns<StoredEvent> = [
  {
    header: 'Event',
    cell: ({ row }) => <ObjectLink id={row.original.id} label={row.original.type} />,
  },
  { header: 'About', cell: ({ row }) => <ObjectLink id={row.original.data.object.id} /> },
  { header: 'Created', cell: ({ row }) => <Time at={row.original.created} /> },
];

/** The newest events. */
export function RecentEvents() {
  const { data, error } = useObject<Page<StoredEvent>>('events', NEWEST_EVENTS, {
    every: EVERY_MS,
  });
  if (error) return <ErrorMessage error={error} />;
  if (data === undefined) return null;
  if (data.data.length === 0) {
    return (
      <EmptyState
        title="There are no events yet"
        command="npx @paymount/cli trigger charge.succeeded"
      >
        This command makes one in test. It needs a test key in PAYMOUNT_API_KEY.
      </EmptyState>
    );
  }
  return <Rows rows={data.data} columns={COLUMNS} label="Recent events" />;
}
