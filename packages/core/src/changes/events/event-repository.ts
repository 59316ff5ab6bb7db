import type { Environment, Owner } from '../../kernel/basics/environment.ts';
import type { AccountId, EventId, TestClockId } from '../../kernel/basics/id.ts';
import type { AdminScope } from '../../kernel/callers/admin-scope.ts';
import type { CreatedFilter, Page, PageRequest } from '../../kernel/input/page.ts';
import type { Event, StoredEvent } from './event.ts';
import type { EventType } from './event-types.ts';

export interface EventFilter {
  readonly types?: readonly EventType[];
  readonly objectId?: string;
  readonly created?: CreatedFilter;
  /**
   * True: every endpoint that was subscribed when the event was recorded has received it, by its
   * delivery or by a replay, also if there was none. False: some endpoint has not.
   */
  readonly deliverySuccess?: boolean;
  /** Only those on this test clock. @defaultValue those on none, or of one object any */
  readonly clock?: TestClockId;
}

/** There is no method to write: an event is a field of the `Change` that caused it. */
export interface EventReader {
  find(owner: Owner, id: EventId): Promise<StoredEvent | undefined>;
  /** @throws `invalid_cursor` when a cursor is not the id of an event of this owner */
  list(owner: Owner, filter: EventFilter, page: PageRequest): Promise<Page<StoredEvent>>;
  /**
   * Events with ids greater than `after`, in ascending order. An event that commits late may appear
   * among them.
   */
  idsAfter(owner: Owner, after: EventId, limit: number): Promise<readonly EventId[]>;
  /**
   * The events with these ids, in ascending order, without those that are expunged.
   * @param types @defaultValue all
   */
  findAll(
    owner: Owner,
    ids: readonly EventId[],
    types?: readonly EventType[],
  ): Promise<readonly Event[]>;
}

/** An event in the order of accounts, environments and ids. */
export interface EventPosition extends Owner {
  readonly eventId: EventId;
}

/** One step on the way through the events of all accounts. */
export interface EventPurge {
  /** Only events after this one; absent at the beginning. */
  readonly after?: EventPosition;
  /** Only events that were created before this. */
  readonly createdBefore: Date;
  /** How many events are read. */
  readonly limit: number;
}

export interface PurgedEvents {
  readonly deleted: number;
  /** Where the next step begins; absent after the last event. */
  readonly next?: EventPosition;
}

/** The events that workers delete. */
export interface EventQueue {
  /**
   * Deletes events, at most `limit`, that have no delivery and that no open replay has yet to read.
   * Of concurrent callers one deletes, and the others find nothing. A delivery that is made at the
   * same time keeps its event, or finds none.
   */
  purge(walk: EventPurge): Promise<PurgedEvents>;
}

export interface AdminEventFilter extends Pick<EventFilter, 'types' | 'objectId' | 'created'> {
  readonly account?: AccountId;
  readonly environment?: Environment;
}

/** Events for admins, across accounts. */
export interface EventDirectory {
  /** @param scope required, because events are searched account by account */
  find(scope: AdminScope, id: EventId): Promise<StoredEvent | undefined>;
  /** Newest first. @throws PaymountError `invalid_cursor` */
  list(scope: AdminScope, filter: AdminEventFilter, page: PageRequest): Promise<Page<StoredEvent>>;
}
