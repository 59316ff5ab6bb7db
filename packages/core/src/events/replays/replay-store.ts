import type { Event } from '../../changes/events/event.ts';
import type { Owner } from '../../kernel/basics/environment.ts';
import type { DeliveryId, EndpointId, EventId, ReplayId } from '../../kernel/basics/id.ts';
import type { AdminListFilter, AdminScope } from '../../kernel/callers/admin-scope.ts';
import type { Page, PageRequest } from '../../kernel/input/page.ts';
import type { OpenTarget, Replay, ReplayProgress, ReplayStatus, ReplayTarget } from './replay.ts';

/** What admins look through, across accounts. */
export interface ReplayDirectory {
  find(id: ReplayId): Promise<Replay | undefined>;
  /** Newest first. @throws PaymountError `invalid_cursor` */
  list(
    scope: AdminScope,
    filter: AdminListFilter<ReplayStatus>,
    page: PageRequest,
  ): Promise<Page<Replay>>;
  /** Counts the ends of its newest deliveries, and what waits of all. */
  progress(id: ReplayId): Promise<ReplayProgress>;
}

/** Bound to one transaction. */
export interface ReplayRepository {
  /**
   * Replays that are `pending` or `running`; no other is inserted for this owner before the end of
   * the transaction.
   */
  countOpenForUpdate(owner: Owner): Promise<number>;
  /** The newest event that is recorded. */
  newestEvent(owner: Owner): Promise<EventId | undefined>;
  /** From then on it takes no event that is recorded after its transaction began. */
  insert(replay: Replay, targets: readonly ReplayTarget[]): Promise<void>;
  /** Waits for a step that a worker is doing, at most as long as for any lock. */
  findForUpdate(owner: Owner, id: ReplayId): Promise<Replay | undefined>;
  /** Status, counts and times; the caller holds the lock. */
  save(replay: Replay): Promise<void>;
  /** Cancels its deliveries that no attempt is under way of. */
  cancelWaiting(replay: Replay): Promise<CanceledDeliveries>;
}

export interface CanceledDeliveries {
  readonly canceled: number;
  /** Of which an attempt is under way. */
  readonly left: number;
}

/** Events that were looked at, and up to which one: `PAST_LAST` when no more follow. */
export interface ReplayWindow {
  readonly looked: number;
  readonly matched: number;
  readonly cursor: string;
}

/** What is to be sent to one endpoint, in the order of ids, and where that leads. */
export interface ChosenEvents {
  readonly endpointId: EndpointId;
  readonly events: readonly Pick<Event, 'id' | 'type'>[];
  readonly cursor: string;
}

/** A delivery that was made. */
export interface MadeDelivery {
  readonly id: DeliveryId;
  readonly eventId: EventId;
  readonly endpointId: EndpointId;
}

/** One replay whose row is locked, in one transaction. */
export interface ReplaySteps {
  /**
   * The targets that it is not done with, the one that is farthest behind first, and how many
   * deliveries of the replay are unfinished.
   */
  targets(): Promise<{ readonly open: readonly OpenTarget[]; readonly unfinished: number }>;
  /** Counts what matches among the next `limit` events. */
  count(target: ReplayTarget, limit: number): Promise<ReplayWindow>;
  /** Finds what matches, at most `limit` events, among the next `looked`; locks nothing. */
  choose(
    target: ReplayTarget,
    bounds: { readonly limit: number; readonly looked: number },
  ): Promise<ChosenEvents>;
  /**
   * Makes deliveries of what was chosen, for each endpoint the first ones that it has room for
   * (`MAX_UNFINISHED_PER_ENDPOINT`). Of two steps at one moment one gets an endpoint, and the
   * other makes none there; nobody waits.
   */
  make(chosen: readonly ChosenEvents[]): Promise<readonly MadeDelivery[]>;
  saveTarget(target: ReplayTarget): Promise<void>;
  save(replay: Replay): Promise<void>;
  cancelWaiting(): Promise<CanceledDeliveries>;
}

/** The replays that workers advance. */
export interface ReplayQueue {
  /**
   * Those with something left to do, the one whose turn is longest ago first; not those that wait
   * for disabled endpoints alone.
   */
  open(limit: number): Promise<readonly ReplayId[]>;
  /**
   * Does one step in one transaction, with the row locked.
   * @returns undefined when another worker does one, or nothing is left to do
   */
  step<Result>(
    id: ReplayId,
    work: (rows: ReplaySteps, replay: Replay) => Promise<Result>,
  ): Promise<Result | undefined>;
  /** Takes its turn from a replay whose step failed, so that it comes after the others. */
  postpone(id: ReplayId, now: Date): Promise<void>;
}
