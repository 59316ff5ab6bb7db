import type { Leak } from '../../api/resources.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ObjectLink } from '../../ui/object-link.tsx';
import { type Columns, ObjectList } from '../../ui/object-list.tsx';
import { Page } from '../../ui/page.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { ACTIONS, KINDS } from './leak-words.ts';

const FILTERS = [{ label: 'Status', name: 'status', options: ['open', 'dismissed'] }];

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
  return (
    <Page title="Leaks" description="Keys and secrets of this account that others could see.">
      <ObjectList<Leak>
        path="leaks"
        filters={FILTERS}
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
