import { DeliveryService } from './deliveries/delivery-service.ts';
import { type EventReplayPorts, EventReplayService } from './deliveries/event-replay-service.ts';
import { type EndpointPorts, EndpointService } from './endpoints/endpoint-service.ts';
import { EventService } from './feed/event-service.ts';
import { ReplayService } from './replays/replay-service.ts';

/** What the services of webhooks need. */
type WebhookPorts = EndpointPorts & EventReplayPorts;

/** The use cases of webhooks that merchants have. */
export interface WebhookServices {
  readonly endpoints: EndpointService;
  readonly deliveries: DeliveryService;
  readonly events: EventService;
  readonly eventReplays: EventReplayService;
  readonly replays: ReplayService;
}

/** The use cases of webhooks, bound to one storage: the pool, or a host's transaction. */
export function webhookServices(ports: WebhookPorts): WebhookServices {
  return {
    endpoints: new EndpointService(ports),
    deliveries: new DeliveryService(ports),
    events: new EventService(ports),
    eventReplays: new EventReplayService(ports),
    replays: new ReplayService(ports),
  };
}
