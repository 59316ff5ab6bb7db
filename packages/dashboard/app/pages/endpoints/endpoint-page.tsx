import { Alert, Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMay, usePlace } from '../../api/place.ts';
import type { Endpoint } from '../../api/resources.ts';
import { eventsInWords } from '../../ui/event-types.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Metadata } from '../../ui/metadata.tsx';
import { ObjectPage } from '../../ui/object-page.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { DeliveriesChart } from '../deliveries/deliveries-chart.tsx';
import { DELIVERY_FILTERS } from '../deliveries/delivery-filters.ts';
import { DeliveryTable } from '../deliveries/delivery-table.tsx';
import { EndedNote } from './ended-note.tsx';
import { EndpointActions } from './endpoint-actions.tsx';
import { EndpointHealth } from './endpoint-health.tsx';
import { MakerName } from './maker-name.tsx';
import { SigningSecrets } from './signing-secrets.tsx';

const PARENT = { page: 'endpoints', label: 'Webhooks' };
const EVERY_MS = 30_000;
/** Whoever mends a server waits for this page to say so. */
const WHILE_FAILING_MS = 5_000;

export function EndpointPage() {
  return (
    <ObjectPage<Endpoint>
      title="Endpoint"
      parent={PARENT}
      every={(endpoint) => (endpoint?.failing_since ? WHILE_FAILING_MS : EVERY_MS)}
    >
      {(endpoint) => <ShownEndpoint endpoint={endpoint} />}
    </ObjectPage>
  );
}

function ShownEndpoint({ endpoint }: { endpoint: Endpoint }) {
  return (
    <Page
      title={endpoint.url}
      parent={PARENT}
      badge={<EndpointHealth endpoint={endpoint} />}
      actions={<EndpointActions endpoint={endpoint} />}
    >
      <FailingNote endpoint={endpoint} />
      <EndedNote endpoint={endpoint} />
      <Facts
        of={{
          ID: endpoint.id,
          Description: endpoint.description,
          Events: eventsInWords(endpoint.enabled_events),
          'API version': endpoint.api_version,
          Created: <Time at={endpoint.created} exact />,
          'Created by': <MakerName of={endpoint.created_by} />,
          'Last changed by': <MakerName of={endpoint.changed_by} />,
          'URL set by': <MakerName of={endpoint.url_set_by} />,
          Disabled: endpoint.disabled_at && <Time at={endpoint.disabled_at} exact />,
        }}
      />
      <Metadata of={endpoint.metadata} />
      <SigningSecrets endpoint={endpoint} />
      <Section title="Deliveries of the last 24 hours">
        <DeliveriesChart endpoint={endpoint.id} />
      </Section>
      <Section title="Deliveries" actions={<ResendFailed endpoint={endpoint} />}>
        <DeliveryTable filters={DELIVERY_FILTERS} query={{ endpoint: endpoint.id }} />
      </Section>
    </Page>
  );
}

function FailingNote({ endpoint }: { endpoint: Endpoint }) {
  if (endpoint.failing_since === null) return null;
  return (
    <Alert color="red" mb="md" title="Its deliveries fail">
      No delivery has succeeded since <Time at={endpoint.failing_since} exact />. Open a failed
      delivery below to see the answer of your server.
    </Alert>
  );
}

/** Leads to a replay of what failed here, which is counted before it is sent. */
function ResendFailed({ endpoint: { id, failing_since: since } }: { endpoint: Endpoint }) {
  const { path } = usePlace();
  if (!useMay('deliveries.replay')) return null;
  const search = { create: '1', endpoint: id, states: 'failed', ...(since && { from: since }) };
  return (
    <Button
      size="xs"
      variant="default"
      component={Link}
      to={`${path}/replays`}
      // The router cannot know the filters of a page whose path is put together.
      search={search as never}
    >
      Resend failed since…
    </Button>
  );
}
