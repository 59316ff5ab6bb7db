import type { Event } from '../../changes/events/event.ts';
import type { Owner } from '../../kernel/basics/environment.ts';
import type { DeliveryId, EndpointId, EventId, ReplayId } from '../../kernel/basics/id.ts';
import type { AdminListFilter, AdminScope } from '../../kernel/callers/admin-scope.ts';
import type { Maker } from '../../kernel/callers/maker.ts';
import type { CreatedFilter, Page, PageRequest } from '../../kernel/input/page.ts';
import type { OpenTarget, Replay, ReplayProgress, ReplayStatus, ReplayTarget } from './replay.ts';

/** Which replays to list; each is optional. */
export interface ReplayFilter {
  readonly status?: ReplayStatus;
  readonly created?: CreatedFilter;
  /** Only those that this platform started. */
  readonly createdBy?: Maker['id'];
}

/** The replays of one account and environment. */
export interface ReplayReader {
  find(owner: Owner, id: ReplayId): Promise<Replay | undefined>;
  /** Newest first. @throws PaymountError `invalid_cursor` */
  list(owner: Owner, filter: ReplayFilter, page: PageRequest): Promise<Page<Replay>>;
  /** Counts the results of its newest deliveries, and all pending ones. */
  progress(id: ReplayId): Promise<ReplayProgress>;
}

/** Reads for admins, across accounts. */
export interface ReplayDirectory {
  find(id: ReplayId): Promise<Replay | undefined>;
  /** Newest first. @throws PaymountError `invalid_cursor` */
  list(
    scope: AdminScope,
    filter: AdminListFilter<ReplayStatus> & ReplayFilter,
    page: PageRequest,
  ): Promise<Page<Replay>>;
  /** Counts the results of its newest deliveries, and all pending ones. */
  progress(id: ReplayId): Promise<ReplayProgress>;
}

/** Bound to one transaction. */
export interface ReplayRepository {
  /**
   * Counts replays that are `pending` or `running`; no other replay can be inserted for this owner
   * until the transaction ends.
   */
  countOpenForUpdate(owner: Owner): Promise<number>;
  /** The newest event that is recorded. */
  newestEvent(owner: Owner): Promise<EventId | undefined>;
  /** From then on it takes no event that is recorded after its transaction began. */
  insert(replay: Replay, targets: readonly ReplayTarget[]): Promise<void>;
  /** Waits for a step in progress, with the usual lock timeout. */
  findForUpdate(owner: Owner, id: ReplayId): Promise<Replay | undefined>;
  /** Writes status, counts and times; the caller holds the lock. */
  save(replay: Replay): Promise<void>;
  /** Cancels its deliveries, except those with an attempt in progress. */
  cancelWaiting(replay: Replay): Promise<CanceledDeliveries>;
}

export interface CanceledDeliveries {
  readonly canceled: number;
  /** Those with an attempt in progress. */
  readonly left: number;
}

/** The events that were read, and the last of them: `PAST_LAST` if there are no more. */
export interface ReplayWindow {
  readonly looked: number;
  readonly matched: number;
  readonly cursor: string;
}

/** The events for one endpoint, in the order of ids, and the new position. */
export interface ChosenEvents {
  readonly endpointId: EndpointId;
  readonly events: readonly Pick<Event, 'id' | 'type'>[];
  readonly cursor: string;
}

/** A delivery that was made. */
export interface CreatedDelivery {
  readonly id: DeliveryId;
  readonly eventId: EventId;
  readonly endpointId: EndpointId;
}

/** One replay whose row is locked, in one transaction. */
export interface ReplayStepRepository {
  /**
   * The unfinished targets, the one that is farthest behind first, and the number of unfinished
   * deliveries of the replay.
   */
  targets(): Promise<{ readonly open: readonly OpenTarget[]; readonly unfinished: number }>;
  /** Counts the matching events among the next `limit` events, without those that are expunged. */
  count(target: ReplayTarget, limit: number): Promise<ReplayWindow>;
  /**
   * Finds matching events that are not expunged, at most `limit`, among the next `looked`; locks
   * nothing.
   */
  choose(
    target: ReplayTarget,
    bounds: { readonly limit: number; readonly looked: number },
  ): Promise<ChosenEvents>;
  /**
   * Makes deliveries of the chosen events, for each endpoint the first ones that fit below its
   * limit (`MAX_UNFINISHED_PER_ENDPOINT`), without events that were expunged meanwhile. Of two concurrent steps one gets an endpoint, and the
   * other makes none there; neither waits.
   */
  make(chosen: readonly ChosenEvents[]): Promise<readonly CreatedDelivery[]>;
  /** Counts the expunged events that match, after one event and up to another. */
  countExpunged(
    target: ReplayTarget,
    range: { readonly after: string; readonly to: string },
  ): Promise<number>;
  saveTarget(target: ReplayTarget): Promise<void>;
  save(replay: Replay): Promise<void>;
  cancelWaiting(): Promise<CanceledDeliveries>;
}

/** The replays that workers advance. */
export interface ReplayQueue {
  /**
   * Replays with something to do, the one with the oldest turn first; without those that only wait
   * for disabled endpoints.
   */
  open(limit: number): Promise<readonly ReplayId[]>;
  /**
   * Does one step in one transaction, with the row locked.
   * @returns undefined if another worker does one, or nothing is left to do
   */
  step<Result>(
    id: ReplayId,
    work: (rows: ReplayStepRepository, replay: Replay) => Promise<Result>,
  ): Promise<Result | undefined>;
  /**
   * Why the same step would fail again: the store refuses what it writes. Undefined for an error
   * that may pass, such as a lost connection or a deadlock.
   */
  whyNever(error: unknown): string | undefined;
  /** Ends a replay as `failed`, unless it has ended; a canceled one only closes. */
  fail(id: ReplayId, now: Date, failure: string): Promise<void>;
  /** Ends the turn of a replay whose step failed, so that it comes after the others. */
  postpone(id: ReplayId, now: Date): Promise<void>;
  /**
   * Deletes replays that finished before this and whose deliveries are deleted, at most `limit`.
   * @returns how many
   */
  purge(finishedBefore: Date, limit: number): Promise<number>;
}
