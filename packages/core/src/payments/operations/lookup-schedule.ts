const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The resolver's look-ups after the deadline; then a person must look. */
const LOOKUP_WAITS_MS = [
  10 * SECOND,
  MINUTE,
  5 * MINUTE,
  HOUR,
  6 * HOUR,
  DAY,
  DAY,
  DAY,
  DAY,
  DAY,
] as const;

/** How many tries a schedule has. */
export const SCHEDULED_TRIES = LOOKUP_WAITS_MS.length;

/** The wait before the first look-up. */
export const [FIRST_LOOKUP_MS] = LOOKUP_WAITS_MS;

/**
 * The wait before the next try of something that a processor must report first.
 * @param tries how often it was tried on this schedule
 * @returns milliseconds; undefined once a person must look
 */
export function lookupWaitMs(tries: number): number | undefined {
  return LOOKUP_WAITS_MS[tries];
}
