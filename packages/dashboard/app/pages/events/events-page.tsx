import { Button, Switch } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useMay, usePlace } from '../../api/place.ts';
import type { Query } from '../../api/request.ts';
import type { StoredEvent } from '../../api/resources.ts';
import { useList } from '../../api/use-list.ts';
import { type Columns, DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { EVENT_TYPES } from '../../ui/event-types.tsx';
import { CREATED, Filters, useFilters } from '../../ui/filters.tsx';
import { ObjectLink } from '../../ui/object-link.tsx';
import { Page } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { useAddress } from '../../use-address.ts';
import { LiveEvents } from './live/live-events.tsx';
import { TriggerEvent } from './trigger-event.tsx';

const EVERY_MS = 10_000;

const FILTERS = [
  { label: 'Type', name: 'type', options: EVENT_TYPES },
  { label: 'About', name: 'object_id', placeholder: 'ch_…' },
  CREATED,
];

const COLUMNS: Columns<StoredEvent> = [
  {
    header: 'Event',
    cell: ({ row }) => <ObjectLink id={row.original.id} label={row.original.type} />,
  },
  { header: 'ID', cell: ({ row }) => <ObjectLink id={row.original.id} /> },
  { header: 'About', cell: ({ row }) => <ObjectLink id={row.original.data.object.id} /> },
  { header: 'Created', cell: ({ row }) => <Time at={row.original.created} /> },
];

const NONE_YET = (
  <EmptyState title="There is no such event" command="npx @paymount/cli trigger charge.succeeded">
    This command makes one in test. It needs a test key in PAYMOUNT_API_KEY.
  </EmptyState>
);

export function EventsPage() {
  const { address, change, filter } = useAddress();
  const { path } = usePlace();
  const mayTrigger = useMay('events.trigger');
  const { create, follow } = address;
  const [isOpen, setOpen] = useState(create !== undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, so that back does not open the dialog again
  useEffect(() => {
    if (create !== undefined) void change({ create: undefined }, { replace: true });
  }, []);
  const query = useFilters(FILTERS);
  return (
    <Page
      title="Events"
      description="What happened to your charges, refunds and other objects."
      actions={
        <>
          <Button variant="default" component={Link} to={`${path}/replays`}>
            Send many again
          </Button>
          {mayTrigger && <Button onClick={() => setOpen(true)}>Make a test event</Button>}
        </>
      }
    >
      <Filters of={FILTERS} />
      <Switch
        label="Follow new events"
        mb="sm"
        w="max-content"
        checked={follow !== undefined}
        onChange={(event) => void filter({ follow: event.currentTarget.checked ? '1' : undefined })}
      />
      {follow === undefined ? (
        <EventList query={query} />
      ) : (
        <LiveEvents key={JSON.stringify(query)} query={query} empty={NONE_YET} />
      )}
      {mayTrigger && isOpen && <TriggerEvent onClose={() => setOpen(false)} />}
    </Page>
  );
}

function EventList({ query }: { query: Query }) {
  const list = useList<StoredEvent>('events', query, EVERY_MS);
  return <DataTable list={list} columns={COLUMNS} label="Events" empty={NONE_YET} />;
}
