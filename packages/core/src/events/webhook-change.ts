import type { Change, Write } from '../changes/change.ts';
import type { DeliveryId, EndpointId } from '../kernel/basics/id.ts';
import type { Delivery } from './deliveries/delivery.ts';
import type { Endpoint, EndpointSecret } from './endpoints/endpoint.ts';

export type WebhookWrite = Write<'endpoint', Endpoint>;

/** The fields of a change of endpoints and deliveries besides its rows. */
export interface WebhookFacts {
  readonly secret?: EndpointSecret;
  /** The endpoint's earlier secrets sign at most until then. */
  readonly retiredSecrets?: { readonly endpointId: EndpointId; readonly expiresAt: Date };
  /** Makes a pending or failed delivery due now; raced if an attempt is in progress. */
  readonly retriedDelivery?: DeliveryId;
  /**
   * New deliveries that somebody requested, due now; raced unless all their endpoints are enabled.
   * If one of them names an event of this change, the event goes nowhere else.
   */
  readonly chosenDeliveries?: readonly Delivery[];
  /** The events of this change go to no endpoint but those of `chosenDeliveries`, also without any. */
  readonly onlyChosen?: true;
}

/** The change that a service of endpoints, deliveries and replays commits. */
export type WebhookChange = Change<WebhookWrite> & WebhookFacts;
