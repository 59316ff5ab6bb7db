import { Button } from '@mantine/core';
import { useMay } from '../../api/place.ts';
import type { Replay } from '../../api/resources.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ObjectLink } from '../../ui/object-link.tsx';
import { type Columns, ObjectList } from '../../ui/object-list.tsx';
import { Page } from '../../ui/page.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { useAddress } from '../../use-address.ts';
import { CreateReplay } from './create-replay.tsx';

const EVERY_MS = 5_000;

const COLUMNS: Columns<Replay> = [
  { header: 'Replay', cell: ({ row }) => <ObjectLink id={row.original.id} /> },
  { header: 'Status', cell: ({ row }) => <StatusBadge status={row.original.status} /> },
  { header: 'Kind', cell: ({ row }) => (row.original.dry_run ? 'Counted only' : 'Sent') },
  { header: 'Types', cell: ({ row }) => row.original.types?.join(', ') ?? 'All' },
  { header: 'Matching', cell: ({ row }) => row.original.matched.toLocaleString('en') },
  { header: 'Made', cell: ({ row }) => row.original.created_count.toLocaleString('en') },
  { header: 'Created', cell: ({ row }) => <Time at={row.original.created} /> },
];

export function ReplaysPage() {
  const { address, change } = useAddress();
  const mayReplay = useMay('deliveries.replay');
  const create = () => void change({ create: '1' });
  const isOpen = mayReplay && address['create'] !== undefined;
  return (
    <Page
      title="Replays"
      description="Events that are sent again in bulk, such as after an outage of your server."
      actions={mayReplay && <Button onClick={create}>Send many again</Button>}
    >
      <ObjectList<Replay>
        path="replays"
        every={EVERY_MS}
        columns={COLUMNS}
        label="Replays"
        empty={
          <EmptyState title="There is no replay yet">
            After an outage, send the events of that time again. Paymount counts them first.
          </EmptyState>
        }
      />
      {isOpen && (
        <CreateReplay
          onClose={() =>
            void change(
              { create: undefined, endpoint: undefined, states: undefined, from: undefined },
              { replace: true },
            )
          }
        />
      )}
    </Page>
  );
}
