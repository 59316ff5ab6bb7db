import type { EventType } from '../../changes/events/event-types.ts';
import type { Owner } from '../../kernel/basics/environment.ts';
import type { EndpointId, EventId, ReplayId } from '../../kernel/basics/id.ts';
import type { Maker } from '../../kernel/callers/maker.ts';
import type { CreatedFilter } from '../../kernel/input/page.ts';

export const REPLAY_STATUSES = ['pending', 'running', 'completed', 'canceled', 'failed'] as const;

export type ReplayStatus = (typeof REPLAY_STATUSES)[number];

/**
 * The result of an event at an endpoint: `succeeded` if a delivery did; `failed` and `skipped` if a
 * delivery did and none succeeded; `undelivered` if none succeeded, also if there is no delivery.
 */
export const REPLAYED_STATES = ['failed', 'skipped', 'succeeded', 'undelivered'] as const;

export type ReplayedState = (typeof REPLAYED_STATES)[number];

/**
 * A replay: events of one account and environment that are sent again. `pending`: no worker has
 * begun. `running`: matching events are counted, and deliveries are made within the limits.
 * `completed`: all are made, or, in a dry run, counted. `canceled`: no more are made, and pending
 * ones are canceled. `failed`: the store refuses a step for a reason that does not pass; no more are
 * made, and pending ones are still sent.
 */
export interface Replay extends Owner {
  readonly id: ReplayId;
  readonly status: ReplayStatus;
  /** The endpoint to which `states` applies; without `toEndpointId` also the target. */
  readonly endpointId?: EndpointId;
  readonly toEndpointId?: EndpointId;
  readonly types?: readonly EventType[];
  readonly states?: readonly ReplayedState[];
  readonly createdFilter?: CreatedFilter;
  /** Maximum number of deliveries made per second; 1-1,000. */
  readonly rate: number;
  readonly dryRun: boolean;
  /** The newest event of the owner when the replay was created; absent if there was none. */
  readonly throughEventId?: EventId;
  /** Matching pairs of event and target that were counted so far. */
  readonly matched: number;
  /** Whether `matched` may still rise. */
  readonly isCounting: boolean;
  /** Deliveries made so far. */
  readonly createdCount: number;
  /** Pairs of event and target that were passed over so far because the event is expunged. */
  readonly skipped: number;
  /** Whether a worker has anything left to do for it. */
  readonly isOpen: boolean;
  /** Until when the rate is used up. */
  readonly steppedAt?: Date;
  /** When a worker last took its turn; absent before the first. */
  readonly lookedAt?: Date;
  readonly created: Date;
  /** Who made it; absent if an earlier version wrote it, or nobody did. */
  readonly createdBy?: Maker;
  readonly finishedAt?: Date;
  /** Why it failed; it has no values of rows. */
  readonly failure?: string;
}

/** One endpoint that a replay sends to; each advances separately, so that none delays another. */
export interface ReplayTarget {
  readonly endpointId: EndpointId;
  /** Absent: all. */
  readonly types?: readonly EventType[];
  /** The last counted event; '' before the first, `PAST_LAST` once all are counted. */
  readonly countedTo: string;
  /** The last event that was sent or skipped, likewise; always at the end for a dry run. */
  readonly sentTo: string;
}

/** Greater than the id of every event. */
export const PAST_LAST = '~';

/** One unfinished endpoint of a replay, and its pending deliveries. */
export interface OpenTarget extends ReplayTarget {
  readonly status: 'enabled' | 'disabled' | 'deleted';
  /** Unfinished deliveries at the endpoint of all bulk replays. */
  readonly unfinished: number;
  /** Of these, the deliveries of this replay. */
  readonly own: number;
  /** The number of replays that send to the endpoint now, including this one. */
  readonly sharers: number;
}

/** The results of a replay's deliveries. */
export interface ReplayProgress {
  /** Of all deliveries: those that wait for an attempt, or for their endpoint to be enabled. */
  readonly pending: number;
  /** How many of the newest deliveries the other numbers count; at most `MAX_LOOKED_THROUGH`. */
  readonly newest: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly canceled: number;
}

/** The maximum number of `pending` or `running` replays of one account in one environment. */
export const MAX_OPEN_REPLAYS = 10;
/**
 * The maximum number of deliveries whose results are counted when a replay is retrieved. A counter
 * for each replay would be one row that the end of every attempt must lock.
 */
export const MAX_LOOKED_THROUGH = 10_000;
/**
 * The maximum number of unfinished deliveries of bulk replays at one endpoint, so that fresh events
 * barely wait.
 */
export const MAX_UNFINISHED_PER_ENDPOINT = 50;
/** The maximum number of unfinished deliveries of one replay. */
export const MAX_UNFINISHED = 1_000;
/** The time between two steps of a replay. */
export const STEP_MS = 100;
/** The maximum time that a stalled worker catches up on. */
const MAX_ELAPSED_MS = 2_000;
/**
 * Clocks of two machines differ by less; a time that is farther ahead was written before a clock
 * was set back.
 */
const MAX_AHEAD_MS = 60_000;

/** The number of deliveries that a replay may make in one step. */
export interface RateAllowance {
  /** At least 1. */
  readonly count: number;
  /** Until when these use up the rate. */
  readonly steppedAt: Date;
}

/**
 * The number of deliveries that a replay's rate allows now.
 * @returns undefined if its next step is not due
 */
export function replayAllowance(
  { rate, steppedAt }: Pick<Replay, 'rate' | 'steppedAt'>,
  now: Date,
): RateAllowance | undefined {
  if (steppedAt === undefined || steppedAt.getTime() - now.getTime() > MAX_AHEAD_MS) {
    return { count: Math.max(1, Math.floor((rate * STEP_MS) / 1000)), steppedAt: now };
  }
  const elapsedMs = Math.min(now.getTime() - steppedAt.getTime(), MAX_ELAPSED_MS);
  const count = Math.floor((rate * elapsedMs) / 1000);
  if (elapsedMs < STEP_MS || count < 1) return undefined;
  // The rest of the time counts for the next step, so that low rates are exact too.
  const restMs = elapsedMs - Math.ceil((count * 1000) / rate);
  return { count, steppedAt: new Date(now.getTime() - Math.max(0, restMs)) };
}

/**
 * How many deliveries a replay may make for a target now: each replay of the endpoint has its
 * share.
 */
export function replayCapacity({
  status,
  unfinished,
  own,
  sharers,
}: Omit<OpenTarget, keyof ReplayTarget>): number {
  if (status !== 'enabled') return 0;
  const share = Math.ceil(MAX_UNFINISHED_PER_ENDPOINT / Math.max(1, sharers));
  return Math.max(0, Math.min(MAX_UNFINISHED_PER_ENDPOINT - unfinished, share - own));
}

/** The part of the remainder for one target, so that `targets` of them share it evenly. */
export function replayShare(left: number, targets: number, room: number): number {
  return Math.max(0, Math.min(room, Math.ceil(left / targets)));
}
