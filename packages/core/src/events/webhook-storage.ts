import type { AreaStorage } from '../changes/area-storage.ts';
import type { ChangeRepository } from '../changes/change-repository.ts';
import type { EventReader } from '../changes/events/event-repository.ts';
import type { DeliveryReader } from './deliveries/delivery-repository.ts';
import type { EndpointReader, EndpointRepository } from './endpoints/endpoint-repository.ts';
import type { ReplayReader, ReplayRepository } from './replays/replay-repository.ts';
import type { WebhookChange } from './webhook-change.ts';

export interface WebhookReaders {
  readonly events: EventReader;
  readonly endpoints: EndpointReader;
  readonly deliveries: DeliveryReader;
  readonly replays: ReplayReader;
}

/** Bound to one transaction. Locks are taken in one order: account, then endpoints by id. */
export interface WebhookRepositories {
  readonly endpoints: EndpointRepository;
  readonly replays: ReplayRepository;
  readonly changes: ChangeRepository<WebhookChange>;
}

/** The reads, locks and writes of the services of endpoints, deliveries, replays and the feed. */
export type WebhookStorage = AreaStorage<WebhookReaders, WebhookRepositories>;
