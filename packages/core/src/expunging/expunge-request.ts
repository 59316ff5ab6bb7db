import type { EventType } from '../changes/events/event-types.ts';
import type { Owner } from '../kernel/basics/environment.ts';
import type { EventId, Id } from '../kernel/basics/id.ts';
import type { CreatedFilter } from '../kernel/input/page.ts';

export type ExpungeRequestId = Id<'expr'>;

export const EXPUNGE_STATUSES = ['pending', 'running', 'succeeded', 'failed'] as const;

/** Which events of an account and environment are expunged: those that meet all given conditions. */
export interface ExpungeSelection {
  readonly eventIds?: readonly EventId[];
  readonly objectId?: string;
  readonly createdFilter?: CreatedFilter;
}

/** What was done so far. */
export interface ExpungeCounts {
  readonly events: number;
  /** Deliveries that waited, and are not sent any more. */
  readonly canceledDeliveries: number;
  /** Attempts whose headers and bodies were deleted. */
  readonly attempts: number;
}

/** The last event that was read in the order of types, of `created`, and of ids. */
export interface ExpungePosition {
  readonly type: EventType;
  readonly created: Date;
  readonly eventId: EventId | '';
}

/**
 * The request of an admin to delete the data of events that were recorded before it, and of what
 * was sent and received with them. The events themselves are kept.
 */
export type ExpungeRequest = ExpungeRequestFacts &
  (
    | { readonly status: 'pending' }
    | { readonly status: 'running'; readonly startedAt: Date; readonly position?: ExpungePosition }
    | { readonly status: 'succeeded'; readonly startedAt: Date; readonly finishedAt: Date }
    /** The store refuses a step for a reason that does not pass; what was done stays done. */
    | {
        readonly status: 'failed';
        readonly startedAt?: Date;
        readonly finishedAt: Date;
        /** It has no values of rows. */
        readonly failure: string;
      }
  );

interface ExpungeRequestFacts extends Owner {
  readonly id: ExpungeRequestId;
  readonly selection: ExpungeSelection;
  readonly reason: string;
  readonly counts: ExpungeCounts;
  readonly created: Date;
}

/** A request that workers have to do. */
export type OpenExpungeRequest = Extract<ExpungeRequest, { status: 'pending' | 'running' }>;
