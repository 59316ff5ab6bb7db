import { Temporal } from 'temporal-polyfill';
import type { Interval } from '../prices/price.ts';

/** What the boundaries of billing periods are computed from. */
export interface BillingCalendar {
  /** Boundary 0. */
  readonly anchor: Date;
  /** IANA name of the zone whose dates and wall clock count. */
  readonly timezone: string;
  readonly interval: Interval;
  readonly intervalCount: number;
}

const UNITS = { day: 'days', week: 'weeks', month: 'months', year: 'years' } as const;

/**
 * The n-th boundary of the periods of a subscription: the anchor, read in the zone, plus n times the
 * interval. It is computed from the anchor each time, so that a short month does not move the boundaries
 * after it: 31 January, 28 February, 31 March. Days and weeks keep the wall clock. A local time that is
 * skipped moves forward, and of one that is repeated the first counts.
 * @param n may be negative: the interval before the anchor begins with boundary -1
 */
export function boundary(calendar: BillingCalendar, n: number): Date {
  const { anchor, timezone, interval, intervalCount } = calendar;
  const local = Temporal.Instant.fromEpochMilliseconds(anchor.getTime()).toZonedDateTimeISO(
    timezone,
  );
  const moved = local.add({ [UNITS[interval]]: n * intervalCount });
  return new Date(moved.epochMilliseconds);
}

/**
 * The number of the first boundary after a time. @param after not before boundary 0
 */
export function firstBoundaryAfter(calendar: BillingCalendar, after: Date): number {
  const { anchor, timezone, interval, intervalCount } = calendar;
  const from = Temporal.Instant.fromEpochMilliseconds(anchor.getTime()).toZonedDateTimeISO(
    timezone,
  );
  const to = Temporal.Instant.fromEpochMilliseconds(after.getTime()).toZonedDateTimeISO(timezone);
  const unit = UNITS[interval];
  const whole = from.until(to, { largestUnit: unit })[unit];
  // A clamped month or a skipped hour may put the estimate one off.
  let n = Math.max(0, Math.floor(whole / intervalCount) - 1);
  while (boundary(calendar, n) <= after) n += 1;
  return n;
}

/** Whether a text names a zone of the IANA database that this runtime knows; offsets are refused. */
export function isTimezone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return true;
  } catch {
    return false;
  }
}
