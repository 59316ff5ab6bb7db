import type { AuditEntry } from '../../api/resources.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { CREATED } from '../../ui/filters.tsx';
import { ObjectLink } from '../../ui/object-link.tsx';
import { type Columns, ObjectList } from '../../ui/object-list.tsx';
import { Page } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';

const FILTERS = [
  { label: 'Changed', name: 'target', placeholder: 'key_…' },
  { label: 'By', name: 'actor', placeholder: 'ID of a user or key' },
  CREATED,
];

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
  return (
    <Page
      title="Audit log"
      description="Who changed what in this account. Entries cannot be changed."
    >
      <ObjectList<AuditEntry>
        path="audit"
        filters={FILTERS}
        columns={COLUMNS}
        label="Audit log"
        empty={<EmptyState title="There is no such entry" />}
      />
    </Page>
  );
}
