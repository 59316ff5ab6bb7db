/** The middle and the ends of a figure measured once per round. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  /** The ends differ by more than a factor of two: run again, on a quieter machine. */
  readonly noisy: boolean;
}

const NOISY_FACTOR = 2;

/** @throws RangeError when there are no values */
export function measureSpread(values: readonly number[]): Spread {
  if (values.length === 0) throw new RangeError('No value was measured.');
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = at(sorted, middle);
  const median = sorted.length % 2 === 1 ? upper : (at(sorted, middle - 1) + upper) / 2;
  const min = at(sorted, 0);
  const max = at(sorted, sorted.length - 1);
  return { median, min, max, noisy: max > min * NOISY_FACTOR };
}

/**
 * The smallest value that at least this share of the values does not exceed (nearest rank).
 * @param share 0 to 1
 * @throws RangeError when there are no values
 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return at(sorted, Math.max(0, Math.ceil(share * sorted.length) - 1));
}

function at(sorted: readonly number[], index: number): number {
  const value = sorted[index];
  if (value === undefined) throw new RangeError('No value was measured.');
  return value;
}
