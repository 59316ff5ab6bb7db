import { Button } from '@mantine/core';
import { useMay } from '../../api/place.ts';
import type { Key } from '../../api/resources.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ObjectLink } from '../../ui/object-link.tsx';
import { type Columns, ObjectList } from '../../ui/object-list.tsx';
import { Page } from '../../ui/page.tsx';
import { ScopeList } from '../../ui/scopes.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { useAddress } from '../../use-address.ts';
import { CreateKey } from './create-key.tsx';
import { KEY_TYPES, statusOf } from './key-words.ts';

const FILTERS = [
  { label: 'Type', name: 'type', options: Object.keys(KEY_TYPES), words: KEY_TYPES },
  { label: 'Status', name: 'status', options: ['active', 'revoked'] },
];

const COLUMNS: Columns<Key> = [
  {
    header: 'Name',
    cell: ({ row }) => <ObjectLink id={row.original.id} label={row.original.name} />,
  },
  { header: 'Type', cell: ({ row }) => KEY_TYPES[row.original.type] },
  { header: 'Key', cell: ({ row }) => <code>{row.original.redacted}</code> },
  {
    header: 'May do',
    cell: ({ row: { original: key } }) =>
      key.type === 'restricted' ? <ScopeList scopes={key.scopes ?? []} /> : MAY_DO[key.type],
  },
  { header: 'Created', cell: ({ row }) => <Time at={row.original.created} /> },
  { header: 'Last used', cell: ({ row }) => <Time at={row.original.last_used_at} /> },
  { header: 'Expires', cell: ({ row }) => <Time at={row.original.expires_at} /> },
  { header: 'Status', cell: ({ row }) => <StatusBadge status={statusOf(row.original)} /> },
];
const MAY_DO = { secret: 'Everything', publishable: 'Make tokens and payment methods' } as const;

export function KeysPage() {
  const { address, change } = useAddress();
  const mayWrite = useMay('keys.write');
  const create = () => void change({ create: '1' });
  return (
    <Page
      title="API keys"
      description="Your servers and pages show a key with each request."
      actions={mayWrite && <Button onClick={create}>Create a key</Button>}
    >
      <ObjectList<Key>
        path="keys"
        filters={FILTERS}
        columns={COLUMNS}
        label="API keys"
        empty={
          <EmptyState
            title="There is no such key"
            action={mayWrite && <Button onClick={create}>Create a key</Button>}
          >
            Create a secret key for your server, or a restricted one that may do only what you
            choose.
          </EmptyState>
        }
      />
      <CreateKey
        isOpen={mayWrite && address['create'] !== undefined}
        onClose={() => void change({ create: undefined }, { replace: true })}
      />
    </Page>
  );
}
