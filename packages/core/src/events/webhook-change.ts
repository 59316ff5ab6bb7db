import type { Change, Write } from '../changes/change.ts';
import type { DeliveryId, EndpointId } from '../kernel/basics/id.ts';
import type { Delivery } from './deliveries/delivery-directory.ts';
import type { Endpoint, EndpointSecret } from './endpoints/endpoint.ts';

export type WebhookWrite = Write<'endpoint', Endpoint>;

/** What a change of endpoints and deliveries may hold beside its rows. */
export interface WebhookFacts {
  readonly secret?: EndpointSecret;
  /** Lets the endpoint's earlier secrets sign until then at the latest. */
  readonly retiredSecrets?: { readonly endpointId: EndpointId; readonly expiresAt: Date };
  /** Makes a delivery that waits or has failed due now; raced when an attempt is under way. */
  readonly retriedDelivery?: DeliveryId;
  /**
   * Deliveries that somebody asked for, new and due now; raced unless each of their endpoints is
   * enabled. An event of this change that one of them names goes nowhere else.
   */
  readonly chosenDeliveries?: readonly Delivery[];
}

/** What a service of endpoints, deliveries and replays commits. */
export type WebhookChange = Change<WebhookWrite> & WebhookFacts;
