import { Button } from '@mantine/core';
import { useMay } from '../../api/place.ts';
import type { Endpoint } from '../../api/resources.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { eventsInWords } from '../../ui/event-types.tsx';
import { ObjectLink } from '../../ui/object-link.tsx';
import { type Columns, ObjectList } from '../../ui/object-list.tsx';
import { Page } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { useAddress } from '../../use-address.ts';
import { CreateEndpoint } from './create-endpoint.tsx';
import { EndpointHealth } from './endpoint-health.tsx';

const FILTERS = [
  { label: 'Status', name: 'status', options: ['enabled', 'disabled'] },
  { label: 'Failing', name: 'failing', options: ['true'], words: { true: 'Yes' } },
];

const COLUMNS: Columns<Endpoint> = [
  {
    header: 'Address',
    cell: ({ row }) => <ObjectLink id={row.original.id} label={row.original.url} />,
  },
  { header: 'Description', cell: ({ row }) => row.original.description },
  { header: 'Events', cell: ({ row }) => eventsInWords(row.original.enabled_events) },
  { header: 'Health', cell: ({ row }) => <EndpointHealth endpoint={row.original} /> },
  {
    header: 'Failing since',
    cell: ({ row }) => <Time at={row.original.failing_since} none="-" />,
  },
  { header: 'Created', cell: ({ row }) => <Time at={row.original.created} /> },
];

export function EndpointsPage() {
  const { address, change } = useAddress();
  const mayWrite = useMay('endpoints.write');
  const create = () => void change({ create: '1' });
  return (
    <Page
      title="Webhooks"
      description="Your endpoints: addresses of your servers that get events as they happen."
      actions={mayWrite && <Button onClick={create}>Add an endpoint</Button>}
    >
      <ObjectList<Endpoint>
        path="endpoints"
        filters={FILTERS}
        columns={COLUMNS}
        label="Endpoints"
        empty={
          <EmptyState
            title="There is no such endpoint"
            command="npx @paymount/cli listen --forward-to http://localhost:3000/webhooks"
            action={mayWrite && <Button onClick={create}>Add an endpoint</Button>}
          >
            Add the address of your server. To try it first, this command forwards test events to
            your own machine.
          </EmptyState>
        }
      />
      <CreateEndpoint
        isOpen={mayWrite && address['create'] !== undefined}
        onClose={() => void change({ create: undefined }, { replace: true })}
      />
    </Page>
  );
}
