import type { EventType } from '../../changes/events/event-types.ts';
import type { Owner } from '../../kernel/basics/environment.ts';
import type { DeliveryId, EndpointId, EventId, ReplayId } from '../../kernel/basics/id.ts';
import type { AdminListFilter, AdminScope } from '../../kernel/callers/admin-scope.ts';
import type { Page, PageRequest } from '../../kernel/input/page.ts';
import type { AttemptRecord, DeliveryState } from './delivery.ts';

/** One event for one endpoint, as people see it. */
export interface Delivery extends Owner {
  readonly id: DeliveryId;
  readonly eventId: EventId;
  readonly eventType: EventType;
  readonly endpointId: EndpointId;
  readonly origin: 'event' | 'replay';
  /** Present if a bulk replay made it. */
  readonly replayId?: ReplayId;
  readonly state: DeliveryState;
  /** Number of the next or the last attempt, 1-8. */
  readonly attempt: number;
  readonly dueAt: Date;
  /** An attempt is in progress, or its process died less than a lease ago. */
  readonly attempting: boolean;
  /** The result of the last attempt. */
  readonly lastStatus?: number;
  readonly lastError?: string;
  readonly created: Date;
  readonly finishedAt?: Date;
}

export interface DeliveryFilter extends AdminListFilter<DeliveryState> {
  readonly endpoint?: EndpointId;
  readonly event?: EventId;
  readonly replay?: ReplayId;
}

/** A logged attempt without the sent headers, because they contain signatures. */
export type LoggedAttempt = Omit<AttemptRecord, 'requestHeaders'>;

/** Reads for admins, across accounts. */
export interface DeliveryDirectory {
  find(id: DeliveryId): Promise<Delivery | undefined>;
  /** Newest first. @throws PaymountError `invalid_cursor` */
  list(scope: AdminScope, filter: DeliveryFilter, page: PageRequest): Promise<Page<Delivery>>;
  /** Newest first, at most 100; the log keeps them for 30 days. */
  attempts(id: DeliveryId): Promise<readonly LoggedAttempt[]>;
}
