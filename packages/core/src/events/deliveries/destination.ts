import type { Event, StoredEvent } from '../../changes/events/event.ts';
import { newId, parseId } from '../../kernel/basics/id.ts';
import { ownerOf } from '../../kernel/callers/call.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { missingTarget } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import type { EndpointReader } from '../endpoints/endpoint-repository.ts';
import { assertOwn } from '../endpoints/own-endpoints.ts';
import type { Delivery } from './delivery.ts';

/**
 * The one endpoint that a request names for its events, subscribed or not.
 * @param id as it was sent, in the parameter `endpoint`
 * @throws PaymountError 404 `resource_missing` if it is unknown, deleted, of another account or of
 *   the other environment; `permission_denied` if a platform did not set its URL; `endpoint_disabled`
 */
export async function namedEndpoint(
  endpoints: EndpointReader,
  call: Call,
  id: string,
): Promise<Endpoint> {
  const known = parseId('we', id);
  const endpoint = known && (await endpoints.find(ownerOf(call), known));
  if (endpoint === undefined) throw missingTarget('webhook endpoint', id, 'endpoint');
  assertOwn(call, endpoint, 'endpoint');
  if (endpoint.status === 'enabled') return endpoint;
  throw new PaymountError(
    'endpoint_disabled',
    `Webhook endpoint ${endpoint.id} is ${endpoint.status}; enable it, then repeat the request.`,
    { param: 'endpoint' },
  );
}

/** @throws PaymountError `event_expunged` */
export function assertSendable(event: StoredEvent | undefined): asserts event is Event | undefined {
  if (event === undefined || 'body' in event) return;
  throw new PaymountError(
    'event_expunged',
    `Event ${event.id} was expunged at ${event.expungedAt.toISOString()}; it cannot be sent again.`,
  );
}

/** A new delivery of an event to an endpoint, due immediately, with all eight attempts. */
export function newDelivery(
  event: StoredEvent,
  endpoint: Endpoint,
  { origin, at }: { readonly origin: Delivery['origin']; readonly at: Date },
): Delivery {
  return {
    accountId: event.accountId,
    environment: event.environment,
    id: newId('dlv'),
    eventId: event.id,
    eventType: event.type,
    endpointId: endpoint.id,
    origin,
    state: 'pending',
    attempt: 1,
    dueAt: at,
    attempting: false,
    created: at,
  };
}
