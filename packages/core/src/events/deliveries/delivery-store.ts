import type { DeliveryId, EndpointId } from '../../kernel/basics/id.ts';
import type { AttemptRecord, ClaimedDelivery, Verdict } from './delivery.ts';

/** Times of leases and due dates are the database's, plus `shiftMs` (0 but under a fake clock). */
export interface ClaimDue {
  readonly shiftMs: number;
  /** Fresh events and replays are claimed apart, so that neither costs the other anything. */
  readonly origin: ClaimedDelivery['origin'];
  /** At most this many rows. */
  readonly limit: number;
  readonly leaseToken: string;
  readonly leaseMs: number;
  /** Endpoints after this id come first; the caller advances and wraps it: round-robin. */
  readonly cursor: string;
  /** Endpoints that have no slot left. */
  readonly excluded: readonly EndpointId[];
  /** Only rows overdue by this much: leaves fresh ones to the queue. */
  readonly graceMs: number;
}

export interface ClaimById {
  readonly shiftMs: number;
  readonly leaseToken: string;
  readonly leaseMs: number;
  readonly wanted: readonly { readonly id: DeliveryId; readonly attempt: number }[];
  /** Rows due up to this much later are claimed too; the scheduler holds them until due. */
  readonly aheadMs: number;
  /** Of the rows of replays at most this many are taken. */
  readonly replays: number;
}

export interface CloseAttempt {
  readonly id: DeliveryId;
  readonly attempt: number;
  readonly verdict: Verdict;
  readonly record: AttemptRecord;
  /** Milliseconds from the end of the attempt to this statement, so that waits start at the end. */
  readonly endedAgoMs: number;
}

export interface ClosedAttempt {
  readonly id: DeliveryId;
  readonly attempt: number;
  /** False: another result of this attempt number was first; the record is `superseded`. */
  readonly closed: boolean;
  /** Next attempt, when it waits. */
  readonly dueAt?: Date;
}

/** The rows behind the delivery engine. */
export interface DeliveryStore {
  /** Fair over endpoints, SKIP LOCKED: two callers never get one row. */
  claimDue(claim: ClaimDue): Promise<readonly ClaimedDelivery[]>;
  /** Takes the named rows that are still pending, unleased and at that attempt number. */
  claimById(claim: ClaimById): Promise<readonly ClaimedDelivery[]>;
  /** Group commit: one statement for all results, attempts logged in it. */
  close(results: readonly CloseAttempt[]): Promise<readonly ClosedAttempt[]>;
  /** Logs attempts whose process died, without touching their deliveries. */
  recordAbandoned(records: readonly AttemptRecord[]): Promise<void>;
  /** Hands unsent rows back; only rows that still carry this token. */
  release(leaseToken: string, ids: readonly DeliveryId[]): Promise<void>;
  /**
   * Hands back rows that this service could not sign: the same attempt, due again after `ms`.
   * Nothing is logged.
   * @param wait `broken`: the third time in a row the delivery has `failed` with `unsendable`;
   *   else something is out of reach, and the delivery waits for it as long as it takes
   */
  postpone(
    leaseToken: string,
    ids: readonly DeliveryId[],
    wait: { readonly ms: number; readonly broken: boolean },
  ): Promise<void>;
  /** Parks pending rows of disabled endpoints, at most `limit`. @returns how many */
  parkDisabled(limit: number): Promise<number>;
  /**
   * Lets parked rows of enabled endpoints go on, at most `limit`: those that were parked while their
   * endpoint was being enabled, which neither saw of the other. @returns how many
   */
  resumeEnabled(limit: number): Promise<number>;
  /** The database's clock, to measure how far the machine's is off. */
  databaseTime(): Promise<Date>;
  /**
   * How late the most overdue unleased row of a fresh event is, milliseconds; 0 when none is due.
   * Replays wait for slots as long as it takes.
   */
  overdueMs(shiftMs: number): Promise<number>;
  /** Creates the log's daily partitions up to `daysAhead` days from `now`. */
  createPartitions(now: Date, daysAhead: number): Promise<void>;
  /**
   * Workers create partitions; a process that only serves requests need not be able to.
   * @returns why this process may not create them, and the cure; undefined when it may
   */
  whyNoPartitions(): Promise<string | undefined>;
}
