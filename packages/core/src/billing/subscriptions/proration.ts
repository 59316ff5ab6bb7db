/** A full period of a price, from which parts are computed; whole seconds count. */
export interface FullPeriod {
  readonly start: Date;
  readonly end: Date;
}

/** What one item costs and was billed in the current period. */
export interface BilledItem {
  /** Minor units of a full period: price times quantity. */
  readonly full: bigint;
  /**
   * What was billed for the rest of the period, as the cost of a full period; absent if nothing was: in a
   * trial, or after a change without prorations.
   */
  readonly billed?: bigint;
}

/** The two lines of a change; 0 where nothing is written. */
export interface Proration {
  /** For the time that is not used any more: 0 or negative. */
  readonly credit: bigint;
  /** For the time that remains: 0 or positive. */
  readonly debit: bigint;
}

/**
 * What a part of a period costs: the rounded cost up to its end less the rounded cost up to its
 * beginning. Rounding is cumulative from the period's start, so any partition of a period costs exactly
 * what the whole costs.
 * @param full minor units of the full period: price times quantity
 * @param to not before `from`; what lies outside of the period costs nothing
 * @returns minor units, rounded half away from zero
 */
export function costBetween(full: bigint, period: FullPeriod, from: Date, to: Date): bigint {
  const whole = secondsBetween(period.start, period.end);
  if (whole <= 0n) throw new RangeError('A period has at least one second.');
  const upTo = (time: Date): bigint =>
    quotient(full * clamped(secondsBetween(period.start, time), whole), whole);
  return upTo(to) - upTo(from);
}

/**
 * The lines of a change of an item within a period, and the item after it. The credit is computed from
 * what was billed for that time, not from today's price, so it never exceeds what was billed and not yet
 * credited; several changes in one period, also in one second, add up to the cost of each price for the
 * time in which it was in force.
 * @param item absent: it is new
 * @param next minor units of a full period from then on; absent: the item is removed
 * @param until up to when the period is billed, not before `at`; absent: its end
 */
export function prorated(
  item: BilledItem | undefined,
  next: bigint | undefined,
  {
    period,
    at,
    until = period.end,
  }: { readonly period: FullPeriod; readonly at: Date; readonly until?: Date },
): Proration & { readonly item: BilledItem | undefined } {
  const { billed } = item ?? {};
  return {
    credit: billed === undefined ? 0n : -costBetween(billed, period, at, until),
    debit: next === undefined ? 0n : costBetween(next, period, at, until),
    item: next === undefined ? undefined : { full: next, billed: next },
  };
}

/** The item after a change for which nothing is written: what was billed stays billed. */
export function changedWithoutProration(item: BilledItem | undefined, next: bigint): BilledItem {
  return item?.billed === undefined ? { full: next } : { full: next, billed: item.billed };
}

function clamped(seconds: bigint, whole: bigint): bigint {
  if (seconds < 0n) return 0n;
  return seconds > whole ? whole : seconds;
}

function secondsBetween(from: Date, to: Date): bigint {
  return seconds(to) - seconds(from);
}

function seconds(time: Date): bigint {
  return BigInt(Math.floor(time.getTime() / 1000));
}

/** Rounded half away from zero. @param divisor positive */
function quotient(dividend: bigint, divisor: bigint): bigint {
  const isNegative = dividend < 0n;
  const size = isNegative ? -dividend : dividend;
  const rounded = (2n * size + divisor) / (2n * divisor);
  return isNegative ? -rounded : rounded;
}
