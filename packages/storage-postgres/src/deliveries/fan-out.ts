import { type Event, patternsFor } from '@paymount/core/changes';
import type { ClaimedDelivery, Dispatch, Lease, NewDelivery } from '@paymount/core/events';
import { type DeliveryId, newId, type Owner } from '@paymount/core/kernel';
import type { AccountEndpoint } from './account-endpoints.ts';

/** One delivery that a change will insert. */
export interface PlannedDelivery extends NewDelivery {
  readonly id: DeliveryId;
  readonly event: Event;
  readonly endpoint: AccountEndpoint;
  readonly lease?: Lease;
}

/** The deliveries of the events: one for each endpoint that is subscribed to the type. */
export function planDeliveries(
  owner: Owner,
  events: readonly Event[],
  endpoints: readonly AccountEndpoint[],
): readonly PlannedDelivery[] {
  return events.flatMap((event) => {
    const wanted: readonly string[] = patternsFor(event.type);
    return endpoints
      .filter((endpoint) => endpoint.enabledEvents.some((entry) => wanted.includes(entry)))
      .map((endpoint) => ({
        accountId: owner.accountId,
        environment: owner.environment,
        id: newId('dlv'),
        endpointId: endpoint.id,
        url: endpoint.url,
        lane: endpoint.lane,
        event,
        endpoint,
      }));
  });
}

/** Reserves slots of this process, or places to wait for them, for deliveries that it will send. */
export function reserve(
  dispatch: Dispatch,
  deliveries: readonly PlannedDelivery[],
): readonly PlannedDelivery[] {
  return deliveries.map((delivery) => {
    const lease = delivery.endpoint.status === 'enabled' ? dispatch.reserve(delivery) : undefined;
    return lease ? { ...delivery, lease } : delivery;
  });
}

/** Notifies the dispatcher that the rows are committed. */
export function dispatchCommitted(
  dispatch: Dispatch,
  deliveries: readonly PlannedDelivery[],
  dueAt: Date,
): void {
  const leased = deliveries.flatMap((delivery) => toClaimed(delivery, dueAt));
  if (leased.length > 0) dispatch.committed(leased);
  const waiting = deliveries.filter(
    ({ lease, endpoint }) => lease === undefined && endpoint.status === 'enabled',
  );
  if (waiting.length > 0) dispatch.announce(waiting.map(({ id }) => id));
}

/** Gives back what was reserved. */
export function dispatchReleased(dispatch: Dispatch, deliveries: readonly PlannedDelivery[]): void {
  const leased = deliveries.filter(({ lease }) => lease !== undefined);
  if (leased.length > 0) dispatch.released(leased);
}

function toClaimed(delivery: PlannedDelivery, dueAt: Date): readonly ClaimedDelivery[] {
  const { event, endpoint, lease } = delivery;
  if (!lease) return [];
  return [
    {
      accountId: delivery.accountId,
      environment: delivery.environment,
      id: delivery.id,
      eventId: event.id,
      eventType: event.type,
      endpointId: endpoint.id,
      url: endpoint.url,
      lane: endpoint.lane,
      secretVersion: endpoint.secretVersion,
      secrets: endpoint.secrets.filter(({ expiresAtMs }) => expiresAtMs > event.created.getTime()),
      body: event.body,
      apiVersion: endpoint.apiVersion,
      origin: 'event',
      attempt: 1,
      dueAt,
      leaseToken: lease.token,
    },
  ];
}
