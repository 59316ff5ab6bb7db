import { Page } from '../../ui/page.tsx';
import { DeliveryFilters } from './delivery-filters.tsx';
import { DeliveryTable } from './delivery-table.tsx';

export function DeliveriesPage() {
  return (
    <Page
      title="Deliveries"
      description="Each is one event for one endpoint, with every attempt to send it."
    >
      <DeliveryFilters />
      <DeliveryTable />
    </Page>
  );
}
