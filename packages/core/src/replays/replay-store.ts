import type { Owner } from '../shared/environment.ts';
import type { DeliveryId, EventId, ReplayId } from '../shared/id.ts';
import type { Page, PageRequest } from '../shared/page.ts';
import type { Reach, ReachFilter } from '../shared/reach.ts';
import type { Replay, ReplayProgress, ReplayStatus, ReplayTarget } from './replay.ts';

/** What admins look through, across accounts. */
export interface ReplayDirectory {
  find(id: ReplayId): Promise<Replay | undefined>;
  /** Newest first. @throws PaymountError `invalid_cursor` */
  list(reach: Reach, filter: ReachFilter<ReplayStatus>, page: PageRequest): Promise<Page<Replay>>;
  /** Counts every delivery of the replay. */
  progress(id: ReplayId): Promise<ReplayProgress>;
}

/** Bound to one transaction. */
export interface ReplayRepository {
  /** The newest event that is recorded. */
  newestEvent(owner: Owner): Promise<EventId | undefined>;
  insert(replay: Replay, targets: readonly ReplayTarget[]): Promise<void>;
  /** Waits for a step that a worker is doing, at most as long as for any lock. */
  findForUpdate(owner: Owner, id: ReplayId): Promise<Replay | undefined>;
  /** Status, counts and times; the caller holds the lock. */
  save(replay: Replay): Promise<void>;
  /** Cancels its deliveries that no attempt is under way of. @returns how many are unfinished still */
  cancelWaiting(replay: Replay): Promise<number>;
}

/** A target that deliveries may be made for. */
export interface SendingTarget extends ReplayTarget {
  readonly status: 'enabled' | 'disabled' | 'deleted';
  /** Deliveries of replays, of this one or others, that the endpoint has not finished. */
  readonly unfinished: number;
}

/** Events that were looked at; without `cursor` they were the last ones. */
export interface ReplayWindow {
  readonly looked: number;
  readonly matched: number;
  readonly cursor?: string;
}

/** One replay whose row is locked, in one transaction. */
export interface ReplaySteps {
  targets(phase: 'counting'): Promise<readonly ReplayTarget[]>;
  /**
   * The targets to send to, the one that is farthest behind first, and how many deliveries of the
   * replay are unfinished. Of two steps of different replays one gets an endpoint: it is locked,
   * and the other does without it.
   */
  sending(): Promise<{ readonly targets: readonly SendingTarget[]; readonly unfinished: number }>;
  /** Counts what matches among the next `limit` events. */
  count(target: ReplayTarget, limit: number): Promise<ReplayWindow>;
  /** Makes deliveries, at most `limit`, of what matches among the next `looked` events. */
  send(
    target: ReplayTarget,
    bounds: { readonly limit: number; readonly looked: number },
  ): Promise<{ readonly made: readonly DeliveryId[]; readonly cursor?: string }>;
  saveTarget(target: ReplayTarget): Promise<void>;
  /** Targets that are not done. */
  left(): Promise<number>;
  save(replay: Replay): Promise<void>;
  cancelWaiting(): Promise<number>;
}

/** The replays that workers advance. */
export interface ReplayQueue {
  /**
   * Those with something left to do, the one that has waited longest first; not those that wait for
   * disabled endpoints alone.
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
}
