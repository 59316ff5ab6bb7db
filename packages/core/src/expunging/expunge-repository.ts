import type { Owner } from '../kernel/basics/environment.ts';
import type { EventId } from '../kernel/basics/id.ts';
import type { AdminListFilter, AdminScope } from '../kernel/callers/admin-scope.ts';
import type { CreatedFilter, Page, PageRequest } from '../kernel/input/page.ts';
import type {
  ExpungeCounts,
  ExpungePosition,
  ExpungeRequest,
  ExpungeRequestId,
  OpenExpungeRequest,
} from './expunge-request.ts';

/** Reads for admins, across accounts. */
export interface ExpungeDirectory {
  /** @param scope required, because requests are searched account by account */
  find(scope: AdminScope, id: ExpungeRequestId): Promise<ExpungeRequest | undefined>;
  /** Newest first. @throws PaymountError `invalid_cursor` */
  list(
    scope: AdminScope,
    filter: AdminListFilter<ExpungeRequest['status']> & { readonly created?: CreatedFilter },
    page: PageRequest,
  ): Promise<Page<ExpungeRequest>>;
}

/** Bound to one transaction. */
export interface ExpungeRepository {
  /** The first of these events that does not exist. */
  missingEvent(owner: Owner, ids: readonly EventId[]): Promise<EventId | undefined>;
  /** Whether any event is about this object. */
  hasEventsOf(owner: Owner, objectId: string): Promise<boolean>;
  /** From then on it concerns no event that is recorded after its transaction began. */
  insert(request: ExpungeRequest): Promise<void>;
}

/** The events of one step. */
export interface ExpungeBatch {
  readonly eventIds: readonly EventId[];
  /** Where the next step begins; absent if it finds its events without it. */
  readonly position?: ExpungePosition;
  /** Whether no events are left after these. */
  readonly isLast: boolean;
}

/** What a step did with its events. */
export interface ExpungedBatch extends ExpungeCounts {
  /** False if more deliveries or attempts of these events are left for another step. */
  readonly isWhole: boolean;
}

/** One request whose row is locked, in one transaction. */
export interface ExpungeStepRepository {
  /** The next events that are not expunged yet; a bounded number of rows, and none is locked. */
  choose(): Promise<ExpungeBatch>;
  /**
   * Locks the events; cancels their deliveries that wait; deletes headers and bodies of their
   * attempts; then deletes their bodies. A concurrent replay of one of them comes first, and its
   * delivery is canceled here, or finds it expunged.
   */
  expunge(eventIds: readonly EventId[], now: Date): Promise<ExpungedBatch>;
  /** @param now when its turn ended */
  save(request: ExpungeRequest, now: Date): Promise<void>;
}

/** The requests that workers work off. */
export interface ExpungeQueue {
  /** Open requests, the one with the oldest turn first. */
  open(limit: number): Promise<readonly ExpungeRequestId[]>;
  /**
   * Does one step in one transaction, with the row locked.
   * @returns undefined if another worker does one, or the request has ended
   */
  step<Result>(
    id: ExpungeRequestId,
    work: (rows: ExpungeStepRepository, request: OpenExpungeRequest) => Promise<Result>,
  ): Promise<Result | undefined>;
  /**
   * Why the same step would fail again: the store refuses what it writes. Undefined for an error
   * that may pass, such as a lost connection or a deadlock.
   */
  whyNever(error: unknown): string | undefined;
  /** Ends a request as `failed`, unless it has ended. */
  fail(id: ExpungeRequestId, now: Date, failure: string): Promise<void>;
  /** Ends the turn of a request whose step failed, so that it comes after the others. */
  postpone(id: ExpungeRequestId, now: Date): Promise<void>;
}
