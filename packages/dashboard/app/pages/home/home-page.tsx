import { SimpleGrid } from '@mantine/core';
import { useMay } from '../../api/place.ts';
import { Page, Section } from '../../ui/page.tsx';
import { PageLink } from '../../ui/page-link.tsx';
import { DeliveriesChart } from '../deliveries/deliveries-chart.tsx';
import { FailingEndpoints } from './failing-endpoints.tsx';
import { FirstSteps } from './first-steps.tsx';
import { KeysToLookAt } from './keys-to-look-at.tsx';
import { RecentEvents } from './recent-events.tsx';

/** What a team wants to know first: does everything arrive, and what needs them. */
export function HomePage() {
  const mayReadKeys = useMay('keys.read');
  return (
    <Page title="Home">
      <FirstSteps />
      <Section
        title="Deliveries per hour"
        actions={<PageLink page="deliveries">All deliveries</PageLink>}
      >
        <DeliveriesChart />
      </Section>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xl">
        <Section
          title="Failing endpoints"
          actions={<PageLink page="endpoints">All endpoints</PageLink>}
        >
          <FailingEndpoints />
        </Section>
        {mayReadKeys && (
          <Section title="Keys to look at" actions={<PageLink page="keys">All keys</PageLink>}>
            <KeysToLookAt />
          </Section>
        )}
      </SimpleGrid>
      <Section title="Recent events" actions={<PageLink page="events">All events</PageLink>}>
        <RecentEvents />
      </Section>
    </Page>
  );
}
