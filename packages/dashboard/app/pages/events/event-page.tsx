import { Button } from '@mantine/core';
import { useState } from 'react';
import { useMay } from '../../api/place.ts';
import type { StoredEvent } from '../../api/resources.ts';
import { Facts } from '../../ui/facts.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { ObjectLink } from '../../ui/object-link.tsx';
import { ObjectPage } from '../../ui/object-page.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { DeliveryTable } from '../deliveries/delivery-table.tsx';
import { ReplayEvent } from './replay-event.tsx';

const PARENT = { page: 'events', label: 'Events' };

export function EventPage() {
  return (
    <ObjectPage<StoredEvent> title="Event" parent={PARENT}>
      {(event) => <ShownEvent event={event} />}
    </ObjectPage>
  );
}

function ShownEvent({ event }: { event: StoredEvent }) {
  const [isOpen, setOpen] = useState(false);
  const mayReplay = useMay('deliveries.replay') && event.expunged_at === undefined;
  return (
    <Page
      title={event.type}
      parent={PARENT}
      actions={mayReplay && <Button onClick={() => setOpen(true)}>Send it again</Button>}
    >
      <Facts
        of={{
          ID: event.id,
          About: <ObjectLink id={event.data.object.id} />,
          Created: <Time at={event.created} exact />,
          'API version': event.api_version,
          'Data deleted': event.expunged_at && <Time at={event.expunged_at} exact />,
        }}
      />
      <Section title="Deliveries">
        <DeliveryTable query={{ event: event.id }} />
      </Section>
      <Section title="Content">
        <JsonView value={event} label="JSON of the event" />
      </Section>
      <ReplayEvent event={event} isOpen={isOpen} onClose={() => setOpen(false)} />
    </Page>
  );
}
