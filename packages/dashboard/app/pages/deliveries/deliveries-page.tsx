import { Page } from '../../ui/page.tsx';
import { DELIVERY_FILTERS } from './delivery-filters.ts';
import { DeliveryTable } from './delivery-table.tsx';

const FILTERS = [...DELIVERY_FILTERS, { label: 'Endpoint', name: 'endpoint', placeholder: 'we_…' }];

export function DeliveriesPage() {
  return (
    <Page
      title="Deliveries"
      description="Each is one event for one endpoint, with every attempt to send it."
    >
      <DeliveryTable filters={FILTERS} />
    </Page>
  );
}
