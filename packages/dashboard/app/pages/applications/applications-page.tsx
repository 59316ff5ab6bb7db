import type { ConnectedApplication } from '../../api/resources.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ObjectLink } from '../../ui/object-link.tsx';
import { type Columns, ObjectList } from '../../ui/object-list.tsx';
import { Page } from '../../ui/page.tsx';
import { ScopeList } from '../../ui/scopes.tsx';
import { Time } from '../../ui/time.tsx';

const COLUMNS: Columns<ConnectedApplication> = [
  {
    header: 'Application',
    cell: ({ row }) => <ObjectLink id={row.original.id} label={row.original.name} />,
  },
  { header: 'May do', cell: ({ row }) => <ScopeList scopes={row.original.scopes} /> },
  { header: 'Last used', cell: ({ row }) => <Time at={row.original.last_used_at} /> },
  { header: 'Approved by', cell: ({ row }) => row.original.approved_by },
  { header: 'Approved', cell: ({ row }) => <Time at={row.original.created} /> },
];

export function ApplicationsPage() {
  return (
    <Page
      title="Connected applications"
      description="Platforms of others that may act for this account, because one of you approved them."
    >
      <ObjectList<ConnectedApplication>
        path="connected_applications"
        columns={COLUMNS}
        label="Connected applications"
        empty={
          <EmptyState title="No application is connected">
            An application asks for your approval on its own site. What you approve appears here.
          </EmptyState>
        }
      />
    </Page>
  );
}
