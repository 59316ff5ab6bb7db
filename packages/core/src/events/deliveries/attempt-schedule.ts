const MINUTE = 60;
const HOUR = 60 * MINUTE;

/**
 * The wait before each attempt, measured from the end of the previous one (specification: Events,
 * Delivery and retries).
 */
export const ATTEMPT_WAITS_SECONDS = [
  0,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  6 * HOUR,
  12 * HOUR,
  24 * HOUR,
  48 * HOUR,
] as const;

export const MAX_ATTEMPTS = ATTEMPT_WAITS_SECONDS.length;

const MAX_JITTER_MS = 60_000;

/**
 * The wait between the end of an attempt and the next one, in milliseconds.
 * @param nextAttempt 2-8
 * @param hintMs the receiver's `Retry-After`; it may only delay, up to twice the wait
 * @param random 0 to 1; jitter is at most 1 % of the wait and 60 s, and only delays
 */
export function waitBefore(nextAttempt: number, random: number, hintMs = 0): number {
  const seconds = ATTEMPT_WAITS_SECONDS[nextAttempt - 1];
  if (seconds === undefined) throw new RangeError(`There is no attempt ${nextAttempt}.`);
  const waitMs = seconds * 1000;
  const hinted = Math.min(Math.max(hintMs, waitMs), 2 * waitMs);
  return Math.round(hinted + random * Math.min(waitMs * 0.01, MAX_JITTER_MS));
}
