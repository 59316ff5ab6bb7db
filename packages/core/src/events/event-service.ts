import type { Storage } from '../changes/storage.ts';
import { ownerOf } from '../shared/call.ts';
import { findOrThrow } from '../shared/missing.ts';
import type { Page, PageRequest } from '../shared/page.ts';
import type { Call } from '../shared/principal.ts';
import type { Event, EventFilter } from './event.ts';

/** What happened, as it was recorded. */
export class EventService {
  readonly #storage: Storage;

  constructor(ports: { readonly storage: Storage }) {
    this.#storage = ports.storage;
  }

  /** @throws PaymountError `resource_missing` */
  async retrieve(call: Call, id: string): Promise<Event> {
    return findOrThrow({ noun: 'event', prefix: 'evt' }, id, (eventId) =>
      this.#storage.read.events.find(ownerOf(call), eventId),
    );
  }

  /** Newest first. @throws PaymountError `invalid_cursor` */
  async list(call: Call, filter: EventFilter, page: PageRequest): Promise<Page<Event>> {
    return this.#storage.read.events.list(ownerOf(call), filter, page);
  }
}
