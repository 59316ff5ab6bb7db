import type { EventType } from '../../changes/events/catalogue.ts';
import type { Owner } from '../../kernel/basics/environment.ts';
import type { EndpointId, EventId, ReplayId } from '../../kernel/basics/id.ts';
import type { CreatedFilter } from '../../kernel/input/page.ts';

export const REPLAY_STATUSES = ['pending', 'running', 'completed', 'canceled'] as const;

export type ReplayStatus = (typeof REPLAY_STATUSES)[number];

/**
 * How an event has fared at an endpoint: `succeeded` when a delivery did; `failed` and `skipped`
 * when one is so and none succeeded; `undelivered` when none succeeded, even if there is none.
 */
export const REPLAYED_STATES = ['failed', 'skipped', 'succeeded', 'undelivered'] as const;

export type ReplayedState = (typeof REPLAYED_STATES)[number];

/**
 * Events of one account and environment that are sent again. `pending`: no worker has begun.
 * `running`: what matches is counted, and deliveries are made, as fast as limits allow.
 * `completed`: all are made, or, of a dry run, counted. `canceled`: no more are made, and those that
 * wait are canceled.
 */
export interface Replay extends Owner {
  readonly id: ReplayId;
  readonly status: ReplayStatus;
  /** The endpoint at which `states` are judged; without `toEndpointId` also the target. */
  readonly endpointId?: EndpointId;
  readonly toEndpointId?: EndpointId;
  readonly types?: readonly EventType[];
  readonly states?: readonly ReplayedState[];
  readonly createdFilter?: CreatedFilter;
  /** Deliveries made per second, at most; 1-1,000. */
  readonly rate: number;
  readonly dryRun: boolean;
  /** The newest event of the owner when the replay was made; absent when there was none. */
  readonly throughEventId?: EventId;
  /** Pairs of event and target that match, as far as they are counted. */
  readonly matched: number;
  /** Whether `matched` may still rise. */
  readonly isCounting: boolean;
  /** Deliveries made so far. */
  readonly createdCount: number;
  /** Whether a worker has anything left to do for it. */
  readonly isOpen: boolean;
  /** Until when the rate is used up. */
  readonly steppedAt?: Date;
  /** When a worker last took its turn; absent before the first. */
  readonly lookedAt?: Date;
  readonly created: Date;
  readonly finishedAt?: Date;
}

/** One endpoint that a replay sends to; each advances by itself, so that none holds up another. */
export interface ReplayTarget {
  readonly endpointId: EndpointId;
  /** Absent: all. */
  readonly types?: readonly EventType[];
  /** The last event that is counted; '' before the first, `PAST_LAST` once all are. */
  readonly countedTo: string;
  /** The last event that is sent or passed over, likewise; nothing is left of a dry run. */
  readonly sentTo: string;
}

/** Above the id of every event. */
export const PAST_LAST = '~';

/** One endpoint that a replay is not done with, and what waits there. */
export interface OpenTarget extends ReplayTarget {
  readonly status: 'enabled' | 'disabled' | 'deleted';
  /** Deliveries of bulk replays, of this one or others, that the endpoint has not finished. */
  readonly unfinished: number;
  /** Of these, the deliveries of this replay. */
  readonly own: number;
  /** Replays that send to the endpoint now, this one included. */
  readonly sharers: number;
}

/** How the deliveries of a replay fare. */
export interface ReplayProgress {
  /** Of all that were made: waiting for an attempt, or for their endpoint to be enabled. */
  readonly pending: number;
  /** How many of the newest the other numbers are among; at most `MAX_LOOKED_THROUGH`. */
  readonly newest: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly canceled: number;
}

/** Replays that one account may have `pending` or `running` in one environment. */
export const MAX_OPEN_REPLAYS = 10;
/** Deliveries whose ends are counted when a replay is retrieved, of up to millions. */
export const MAX_LOOKED_THROUGH = 10_000;
/** Unfinished deliveries of bulk replays that one endpoint may have, so that fresh events barely wait. */
export const MAX_UNFINISHED_PER_ENDPOINT = 50;
/** Unfinished deliveries that one replay may have. */
export const MAX_UNFINISHED = 1_000;
/** From one step of a replay to the next. */
export const STEP_MS = 100;
/** What a stalled worker catches up on, at most. */
const MAX_ELAPSED_MS = 2_000;
/** Clocks of two machines differ by less; what is farther ahead was written before one was set back. */
const MAX_AHEAD_MS = 60_000;

/** What a replay may make in one step. */
export interface Allowance {
  /** At least 1. */
  readonly count: number;
  /** Until when the rate is used up with it. */
  readonly steppedAt: Date;
}

/**
 * What a replay may make now by its rate.
 * @returns undefined when its next step is not due
 */
export function allowanceOf(
  { rate, steppedAt }: Pick<Replay, 'rate' | 'steppedAt'>,
  now: Date,
): Allowance | undefined {
  if (steppedAt === undefined || steppedAt.getTime() - now.getTime() > MAX_AHEAD_MS) {
    return { count: Math.max(1, Math.floor((rate * STEP_MS) / 1000)), steppedAt: now };
  }
  const elapsedMs = Math.min(now.getTime() - steppedAt.getTime(), MAX_ELAPSED_MS);
  const count = Math.floor((rate * elapsedMs) / 1000);
  if (elapsedMs < STEP_MS || count < 1) return undefined;
  // The rest of the time counts for the next step, so that low rates are kept too.
  const restMs = elapsedMs - Math.ceil((count * 1000) / rate);
  return { count, steppedAt: new Date(now.getTime() - Math.max(0, restMs)) };
}

/** How many deliveries a replay may make for a target now: each that sends there has its share. */
export function roomOf({
  status,
  unfinished,
  own,
  sharers,
}: Omit<OpenTarget, keyof ReplayTarget>): number {
  if (status !== 'enabled') return 0;
  const share = Math.ceil(MAX_UNFINISHED_PER_ENDPOINT / Math.max(1, sharers));
  return Math.max(0, Math.min(MAX_UNFINISHED_PER_ENDPOINT - unfinished, share - own));
}

/** How much of what is left a target gets, so that `targets` of them share it evenly. */
export function shareOf(left: number, targets: number, room: number): number {
  return Math.max(0, Math.min(room, Math.ceil(left / targets)));
}
