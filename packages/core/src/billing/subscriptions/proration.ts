/** A full period; whole seconds count. */
export interface BilledPeriod {
  readonly start: Date;
  readonly end: Date;
}

/**
 * What a part of a period costs: the rounded cost up to its end less the rounded cost up to its
 * beginning. Rounding is cumulative from the period's start, so any partition of a period costs exactly
 * what the whole costs.
 * @param full minor units of the full period: price times quantity
 * @param from and `to`: within the period, not before `from`
 * @returns minor units, rounded half away from zero
 */
export function costBetween(full: bigint, period: BilledPeriod, from: Date, to: Date): bigint {
  const whole = secondsBetween(period.start, period.end);
  if (whole <= 0n) throw new RangeError('A period has at least one second.');
  const upTo = (time: Date): bigint =>
    divided(full * clamped(secondsBetween(period.start, time), whole), whole);
  return upTo(to) - upTo(from);
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

/** A quotient that is rounded half away from zero. @param divisor positive */
function divided(dividend: bigint, divisor: bigint): bigint {
  const isNegative = dividend < 0n;
  const size = isNegative ? -dividend : dividend;
  const rounded = (2n * size + divisor) / (2n * divisor);
  return isNegative ? -rounded : rounded;
}
