import type { StoredEvent } from '../../changes/events/event.ts';
import type { EventFilter } from '../../changes/events/event-repository.ts';
import { assertMayReadEvent, readableTypes } from '../../changes/events/event-scopes.ts';
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

  /** @throws PaymountError `resource_missing`; `insufficient_scope` for its object */
  async retrieve(call: Call, id: string): Promise<StoredEvent> {
    const event = await findOrThrow({ noun: 'event', prefix: 'evt' }, id, (eventId) =>
      this.#storage.read.events.find(ownerOf(call), eventId),
    );
    assertMayReadEvent(call.principal, event.type);
    return event;
  }

  /**
   * Newest first; of the types that are asked for, otherwise of those that the caller may read.
   * @throws PaymountError `invalid_cursor`; `insufficient_scope` for the object of an event
   */
  async list(call: Call, filter: EventFilter, page: PageRequest): Promise<Page<StoredEvent>> {
    const types = readableTypes(call.principal, filter.types);
    const shown = types === undefined ? filter : { ...filter, types };
    return this.#storage.read.events.list(ownerOf(call), shown, page);
  }

  /**
   * New events from now on, or since `lastEventId`; only in test, because it is for development. Of
   * the types that are asked for, otherwise of those that the caller may read.
   * @throws PaymountError `test_mode_only`; `insufficient_scope` for the object of an event;
   *   `invalid_cursor` for an event of another account, or one recorded over 30 days ago
   */
  async follow(call: Call, options: FeedOptions = {}): Promise<EventFeed> {
    const owner = ownerOf(call);
    if (owner.environment !== 'test') throw new PaymountError('test_mode_only');
    const types = readableTypes(call.principal, options.types);
    return EventFeed.start(
      { reader: this.#storage.read.events, clock: this.#clock, owner },
      types === undefined ? options : { ...options, types },
    );
  }
}
