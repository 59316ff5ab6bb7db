import type { EventType } from '../../changes/events/event-types.ts';
import type { CrashPoint } from '../../kernel/basics/crash-point.ts';
import type { Owner } from '../../kernel/basics/environment.ts';
import type {
  AccountId,
  DeliveryId,
  EndpointId,
  EventId,
  ReplayId,
} from '../../kernel/basics/id.ts';
import type { AdminListFilter, AdminScope } from '../../kernel/callers/admin-scope.ts';
import type { Maker } from '../../kernel/callers/maker.ts';
import type { CreatedFilter, Page, PageRequest } from '../../kernel/input/page.ts';
import type { FailingVerdict } from '../endpoints/decide-on-failing.ts';
import type { FailingEndpoint } from '../endpoints/failing-endpoint.ts';
import type {
  AttemptRecord,
  ClaimedDelivery,
  Delivery,
  DeliveryError,
  DeliveryLog,
  DeliveryState,
  EndpointLane,
  StatusClass,
  Verdict,
} from './delivery.ts';
import type { CountFilter, CountInterval, DeliveryCounts } from './delivery-counts.ts';

/** Leases and due dates use the database's time plus `shiftMs` (0 except with a fake clock). */
export interface ClaimDue {
  readonly shiftMs: number;
  /** Of the endpoints. */
  readonly lane: EndpointLane;
  /** Fresh events and replays are claimed separately, so that neither delays the other. */
  readonly origin: ClaimedDelivery['origin'];
  /** At most this many rows. */
  readonly limit: number;
  readonly leaseToken: string;
  readonly leaseMs: number;
  /**
   * Only endpoints after this id. The caller continues with `next`, and starts again with the empty
   * text at the end: round-robin.
   */
  readonly cursor: string;
  /** Endpoints without a free slot. */
  readonly excluded: readonly EndpointId[];
  /** Accounts without a free slot. */
  readonly excludedAccounts: readonly AccountId[];
  /** Only rows overdue by this much: fresh ones are left to the queue. */
  readonly graceMs: number;
  /** In the slow lane: only endpoints that had accepted an event before they became slow. */
  readonly wasQuick?: boolean;
}

/** Some of the rows that are due. */
export interface ClaimedBatch {
  readonly deliveries: readonly ClaimedDelivery[];
  /** The cursor for the next claim; absent if every endpoint after the cursor was looked at. */
  readonly next?: EndpointId;
}

export interface ClaimById {
  readonly shiftMs: number;
  readonly leaseToken: string;
  readonly leaseMs: number;
  readonly wanted: readonly { readonly id: DeliveryId; readonly attempt: number }[];
  /** Rows due up to this much later are claimed too; the scheduler holds them until due. */
  readonly aheadMs: number;
  /** The maximum number of rows of replays. */
  readonly replays: number;
  /** Endpoints to which nothing may be sent now; their rows do not count as left. */
  readonly held: readonly EndpointId[];
  /** Endpoints without a free slot. */
  readonly excluded: readonly EndpointId[];
  /** Endpoints without a free slot for a replay. */
  readonly excludedFromReplays: readonly EndpointId[];
  /** Accounts without a free slot. */
  readonly excludedAccounts: readonly AccountId[];
  /** Endpoints that answer at once, of which more rows are claimed: at most so many of each. */
  readonly quick: {
    readonly endpoints: readonly EndpointId[];
    readonly perEndpoint: number;
    readonly replays: number;
  };
}

/** Some of the named rows. */
export interface NamedBatch {
  readonly deliveries: readonly ClaimedDelivery[];
  /** Of these, rows that may be claimed were left because of a limit. */
  readonly left: readonly ClaimedDelivery['origin'][];
}

export interface CloseAttempt {
  readonly id: DeliveryId;
  readonly attempt: number;
  readonly verdict: Verdict;
  readonly record: AttemptRecord;
  /** By the clock of the process. */
  readonly endedAt: Date;
  /** Milliseconds from the end of the attempt to this statement, so that waits start at the end. */
  readonly endedAgoMs: number;
  /** The receiver answered that it is gone, and `decide` is called for its endpoint at once. */
  readonly isGone?: true;
}

export interface ClosedAttempt {
  readonly id: DeliveryId;
  readonly attempt: number;
  /** False: another result of this attempt number was recorded first; this one is `superseded`. */
  readonly closed: boolean;
  /** The next attempt, if the delivery waits for one. */
  readonly dueAt?: Date;
}

/** A delivery with a result that waits for a lock on its row, or on its endpoint's or account's. */
export interface LockedDelivery {
  readonly id: DeliveryId;
  readonly endpointId: EndpointId;
  readonly accountId: AccountId;
}

/** A session of the database server that holds a lock. */
export interface LockHolder {
  /** Of its server process, for `pg_terminate_backend`. */
  readonly pid: number;
  /** Its `application_name`, if it has one. */
  readonly applicationName?: string;
  /** For example `idle in transaction`; absent if this role may not see it. */
  readonly state?: string;
  /** How long its transaction has been open; absent if this role may not see it. */
  readonly openMs?: number;
}

/** An attempt that a delivery waits for. */
export interface WaitingAttempt {
  readonly id: DeliveryId;
  readonly attempt: number;
}

/** By lane of the endpoint, milliseconds; 0 if no row is due. */
export type OverdueMs = Readonly<Record<EndpointLane, number>>;

/** Decides what follows from a failed attempt for its endpoint; undefined: nothing. */
export type DecideOnFailing = (failing: FailingEndpoint) => FailingVerdict | undefined;

/** One step on the way through all deliveries. */
export interface DeliveryPurge {
  /** Only deliveries after this id; the empty text at the beginning. */
  readonly after: string;
  /** Only deliveries that finished before this. */
  readonly finishedBefore: Date;
  /** How many deliveries are read. */
  readonly limit: number;
}

export interface PurgedDeliveries {
  readonly deleted: number;
  /** Where the next step begins; undefined after the last delivery. */
  readonly next?: DeliveryId;
}

/** Storage of the delivery engine. */
export interface DeliveryQueue {
  /** Fair over endpoints, SKIP LOCKED: two callers never get the same row. */
  claimDue(claim: ClaimDue): Promise<ClaimedBatch>;
  /**
   * Claims the named rows that are still pending, unleased and at that attempt number, and whose
   * endpoint is in the fast lane; of each endpoint as few as `claimDue` does, unless it is `quick`.
   */
  claimById(claim: ClaimById): Promise<NamedBatch>;
  /**
   * Group commit: one statement for all results, attempts logged in it. It also keeps
   * `failingSince` of the endpoints: the end of the first failure after a success or enabling, by the
   * clock of the process. One that waited for over a second counts from now: a success may have come since.
   * @param decide called in the same transaction for each enabled endpoint whose last attempt failed
   *   at its present URL, and that has been failing for `WARN_AFTER_MS` or is gone; its change is
   *   committed with the results, if a failure of it is. It may be called again
   * @param options `skipsLocked`: waits for no lock on a delivery, not even for a moment
   * @returns what was recorded. Results whose endpoint, delivery or event another transaction has locked are
   *   missing, and nothing is written of them: they delay no other result. So are those of an endpoint about
   *   which `decide` was called, if another transaction has locked what it writes
   */
  close(
    results: readonly CloseAttempt[],
    decide: DecideOnFailing,
    options?: { readonly skipsLocked: boolean },
  ): Promise<readonly ClosedAttempt[]>;
  /**
   * Why the same results would not be closed the next time: the store refuses a value of them. Undefined
   * for an error that may pass.
   */
  whyNever(error: unknown): string | undefined;
  /** Lengthens the leases of rows whose results wait for a lock; only rows that still have them. */
  renewLeases(
    leases: readonly Pick<ClaimedDelivery, 'id' | 'leaseToken'>[],
    lengthMs: number,
  ): Promise<void>;
  /** The sessions that hold a lock for which a result waits; none if they have ended. */
  findLockHolders(of: LockedDelivery): Promise<readonly LockHolder[]>;
  /** Those of the named attempts for which their deliveries still wait. */
  findWaiting(attempts: readonly WaitingAttempt[]): Promise<readonly WaitingAttempt[]>;
  /** Logs attempts whose process died, without changing their deliveries. */
  recordAbandoned(records: readonly AttemptRecord[]): Promise<void>;
  /** Releases unsent rows; only rows that still have this token. */
  release(leaseToken: string, ids: readonly DeliveryId[]): Promise<void>;
  /**
   * Releases rows that this service could not sign: the same attempt, due again after `ms`. Nothing
   * is logged.
   * @param wait `broken`: the third time in a row the delivery has `failed` with `unsendable`;
   *   otherwise a service is out of reach, and the delivery waits for it as long as necessary
   */
  postpone(
    leaseToken: string,
    ids: readonly DeliveryId[],
    wait: { readonly ms: number; readonly broken: boolean },
  ): Promise<void>;
  /**
   * Applies changed statuses of endpoints to their deliveries, at most `limit` of each endpoint: a
   * disabled endpoint's are parked, a deleted one's canceled, an enabled one's resumed with the same
   * attempt numbers, due one after the other over the next 10 ms for each, at most 60 s. Running
   * attempts are left until they have ended.
   * @param crashPoint visited before and after the commit of each step that moved deliveries:
   *   `park.before_commit`, `park.after_commit`, and the same with `cancel` and `resume`
   * @returns whether an endpoint may have more
   */
  applyStatuses(limit: number, crashPoint?: CrashPoint): Promise<boolean>;
  /**
   * Finds endpoints with deliveries that do not fit their status, for `applyStatuses`: such as those
   * of a transaction that began before the endpoint was disabled and committed long after.
   */
  recheckStatuses(): Promise<void>;
  /** Records the lanes of these endpoints; those that have them already are not written. */
  changeLanes(lanes: ReadonlyMap<EndpointId, EndpointLane>): Promise<void>;
  /** The database's clock, to measure the difference to the machine's clock. */
  databaseTime(): Promise<Date>;
  /**
   * How late the most overdue unleased row of a fresh event is, for each lane of the endpoints. Those
   * of the slow lane wait for its few slots. Endpoints that have a leased row do not count: they wait
   * for a limit of their own. Replays do not count either: they wait for slots that fresh events
   * leave free.
   */
  overdueMs(shiftMs: number): Promise<OverdueMs>;
  /** Creates the log's daily partitions up to `daysAhead` days from `now`. */
  createPartitions(now: Date, daysAhead: number): Promise<void>;
  /**
   * Deletes the log of whole UTC days that ended before. It never waits for readers of the log: what
   * they hold is left for the next call.
   * @returns how many days
   */
  dropPartitions(before: Date): Promise<number>;
  /**
   * Deletes finished deliveries, at most `limit`, in the order of ids. Of concurrent callers one
   * deletes, and the others find nothing.
   */
  purge(walk: DeliveryPurge): Promise<PurgedDeliveries>;
  /**
   * Counts the logged attempts of some hours in which there may be new ones, and of their days. The
   * hour in progress is counted in each call, or at intervals that grow with its attempts; earlier
   * ones again every hour, because a result may be recorded late. Every attempt counts once,
   * whatever other processes count at the same time.
   * @param now attempts that started later are not counted yet
   * @returns whether earlier hours are left
   */
  countAttempts(now: Date): Promise<boolean>;
  /**
   * Deletes counts of intervals that began before.
   * @returns how many, at most `limit`
   */
  purgeCounts(interval: CountInterval, before: Date, limit: number): Promise<number>;
  /**
   * Workers create partitions; a process that only serves requests does not need the right.
   * @returns why this process may not create them, and what to do; undefined if it may
   */
  whyNoPartitions(): Promise<string | undefined>;
}

/** Which deliveries to list; each is optional, and all must hold. */
export interface DeliveryFilter {
  readonly status?: DeliveryState;
  readonly endpoint?: EndpointId;
  readonly event?: EventId;
  readonly replay?: ReplayId;
  /** The object that the event is about. */
  readonly objectId?: string;
  readonly type?: EventType;
  /** Of the last answer. */
  readonly statusClass?: StatusClass;
  /** Of the last attempt. */
  readonly error?: DeliveryError;
  readonly created?: CreatedFilter;
  /** Only those to endpoints whose URL this platform set. */
  readonly urlSetBy?: Maker['id'];
}

export interface AdminDeliveryFilter
  extends DeliveryFilter,
    Omit<AdminListFilter<DeliveryState>, 'status'> {}

export interface AdminCountFilter
  extends CountFilter,
    Pick<AdminListFilter, 'account' | 'environment'> {}

/** The deliveries of one account and environment. */
export interface DeliveryReader {
  /** @param urlSetBy only if it goes to an endpoint whose URL this platform set */
  find(owner: Owner, id: DeliveryId, urlSetBy?: Maker['id']): Promise<Delivery | undefined>;
  /** Newest first. @throws PaymountError `invalid_cursor`, `list_too_slow`, `lists_busy` */
  list(owner: Owner, filter: DeliveryFilter, page: PageRequest): Promise<Page<Delivery>>;
  log(delivery: Delivery): Promise<DeliveryLog>;
  /** As last counted. @throws PaymountError `list_too_slow`, `lists_busy` */
  counts(owner: Owner, filter: CountFilter): Promise<DeliveryCounts>;
}

/** Reads for admins, across accounts. */
export interface DeliveryDirectory {
  find(id: DeliveryId): Promise<Delivery | undefined>;
  /** Newest first. @throws PaymountError `invalid_cursor`, `list_too_slow`, `lists_busy` */
  list(scope: AdminScope, filter: AdminDeliveryFilter, page: PageRequest): Promise<Page<Delivery>>;
  log(delivery: Delivery): Promise<DeliveryLog>;
  /** As last counted. @throws PaymountError `list_too_slow`, `lists_busy` */
  counts(scope: AdminScope, filter: AdminCountFilter): Promise<DeliveryCounts>;
}
