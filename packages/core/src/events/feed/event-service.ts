import type { StoredEvent } from '../../changes/events/event.ts';
import type { EventFilter } from '../../changes/events/event-repository.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import { ownerOf } from '../../kernel/callers/call.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { findOrThrow } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { Page, PageRequest } from '../../kernel/input/page.ts';
import type { WebhookStorage } from '../webhook-storage.ts';
import { EventFeed, type FeedOptions } from './event-feed.ts';

/** The recorded events. */
export class EventService {
  readonly #storage: WebhookStorage;
  readonly #clock: Clock;

  constructor(ports: { readonly storage: WebhookStorage; readonly clock: Clock }) {
    this.#storage = ports.storage;
    this.#clock = ports.clock;
  }

  /** @throws PaymountError `resource_missing` */
  async retrieve(call: Call, id: string): Promise<StoredEvent> {
    return findOrThrow({ noun: 'event', prefix: 'evt' }, id, (eventId) =>
      this.#storage.read.events.find(ownerOf(call), eventId),
    );
  }

  /** Newest first. @throws PaymountError `invalid_cursor` */
  async list(call: Call, filter: EventFilter, page: PageRequest): Promise<Page<StoredEvent>> {
    return this.#storage.read.events.list(ownerOf(call), filter, page);
  }
  /**
   * New events from now on, or since `lastEventId`; only in test, because it is for development.
   * @throws PaymountError `test_mode_only`; `invalid_cursor` for an event of another account, or
   *   one recorded over 30 days ago
   */
  async follow(call: Call, options: FeedOptions = {}): Promise<EventFeed> {
    const owner = ownerOf(call);
    if (owner.environment !== 'test') throw new PaymountError('test_mode_only');
    return EventFeed.start(
      { reader: this.#storage.read.events, clock: this.#clock, owner },
      options,
    );
  }
}
