import type { EventType } from '../../changes/events/event-types.ts';
import type { EndpointId } from '../../kernel/basics/id.ts';
import type { Maker } from '../../kernel/callers/maker.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { AttemptErrorCode, AttemptOutcome } from './delivery.ts';

/** The lengths of time for which attempts are counted; both begin in UTC. */
export const COUNT_INTERVALS = ['hour', 'day'] as const;

export type CountInterval = (typeof COUNT_INTERVALS)[number];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The length of each interval, milliseconds. */
export const INTERVAL_MS: Readonly<Record<CountInterval, number>> = { hour: HOUR_MS, day: DAY_MS };

/** How long counts are kept after the interval began, milliseconds; longer than the log itself. */
export const COUNTS_KEPT_MS: Readonly<Record<CountInterval, number>> = {
  hour: 90 * DAY_MS,
  day: 400 * DAY_MS,
};

/** Which counts to read; an attempt counts in the interval in which it started. */
export interface CountFilter {
  readonly interval: CountInterval;
  /** The beginning of an interval, included. */
  readonly from: Date;
  /** The beginning of an interval, excluded. */
  readonly to: Date;
  readonly endpoint?: EndpointId;
  readonly type?: EventType;
  /** Only endpoints whose URL this platform set. */
  readonly urlSetBy?: Maker['id'];
}

/** How many attempts had one kind of result. */
export interface AttemptCount {
  readonly outcome: AttemptOutcome;
  readonly error?: AttemptErrorCode;
  /** The first digit of the status of the answer, if there was one. */
  readonly statusClass?: number;
  readonly attempts: number;
  /** How many of them ended their delivery: each that succeeded, and each last one that failed. */
  readonly ended: number;
  /** The sum over the attempts, milliseconds. */
  readonly durationMs: number;
}

/** The counted attempts of one account and environment. */
export interface DeliveryCounts {
  /** Without intervals in which there was no attempt; in no order. */
  readonly byInterval: readonly (AttemptCount & { readonly startsAt: Date })[];
  /** The same attempts over the whole time, also of endpoints that were deleted; in no order. */
  readonly byEndpoint: readonly (AttemptCount & { readonly endpointId: EndpointId })[];
  /** When attempts were last counted; absent if never. */
  readonly countedAt?: Date;
}

/** How many intervals one summary may have. */
const MAX_INTERVALS = 400;
/** How many it has if the request does not say from when. */
const DEFAULT_INTERVALS: Readonly<Record<CountInterval, number>> = { hour: 24, day: 30 };

/** What a request asks for. */
export interface AskedCounts extends Pick<CountFilter, 'endpoint' | 'type'> {
  readonly interval: CountInterval;
  /** @defaultValue 24 hours or 30 days before `to` */
  readonly from?: Date;
  /** @defaultValue now */
  readonly to?: Date;
}

/**
 * The whole intervals that contain the time that was asked for, up to the one that is in progress.
 * @throws PaymountError `parameter_invalid` naming `from`: it is not before `to` or now, is before
 *   the oldest counts, or is too long before `to`
 */
export function toCountFilter(
  { interval, from: askedFrom, to: askedTo, ...filter }: AskedCounts,
  now: Date,
): CountFilter {
  const lengthMs = INTERVAL_MS[interval];
  const begin = (ms: number): number => Math.floor(ms / lengthMs) * lengthMs;
  const endMs = Math.min(askedTo?.getTime() ?? Number.POSITIVE_INFINITY, now.getTime());
  // A time at which an interval begins ends the one before.
  const toMs = begin(endMs - 1) + lengthMs;
  const defaultMs = toMs - DEFAULT_INTERVALS[interval] * lengthMs;
  const fromMs = askedFrom === undefined ? defaultMs : begin(askedFrom.getTime());
  if (askedFrom !== undefined && askedFrom.getTime() >= endMs) {
    throw invalid(
      askedTo !== undefined && askedTo.getTime() <= now.getTime()
        ? 'from must be before to.'
        : 'from must be in the past.',
    );
  }
  if (fromMs < begin(now.getTime() - COUNTS_KEPT_MS[interval])) throw tooOld(interval);
  if (toMs - fromMs > MAX_INTERVALS * lengthMs) {
    throw invalid(
      `A summary has at most ${MAX_INTERVALS} ${interval}s; send a later from${
        interval === 'hour' ? ', an earlier to, or interval=day' : ' or an earlier to'
      }.`,
    );
  }
  return { ...filter, interval, from: new Date(fromMs), to: new Date(toMs) };
}

function tooOld(interval: CountInterval): PaymountError {
  const days = COUNTS_KEPT_MS[interval] / INTERVAL_MS.day;
  const cure = interval === 'hour' ? 'send a later from, or interval=day' : 'send a later from';
  return invalid(`Attempts per ${interval} are kept for ${days} days; ${cure}.`);
}

function invalid(message: string): PaymountError {
  return new PaymountError('parameter_invalid', message, { param: 'from' });
}
