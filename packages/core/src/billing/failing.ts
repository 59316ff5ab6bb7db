/** Why a worker cannot do what is due. */
export interface Failing {
  /** ISO 8601. */
  readonly since: string;
  /** A sentence or two for people. */
  readonly message: string;
  /** How often it failed, one time after another. @defaultValue once: a process of the previous version wrote it */
  readonly count?: number;
}

const MINUTE_MS = 60_000;
const FIRST_WAIT_MS = 10 * MINUTE_MS;
/** What was repaired is done within an hour. */
const LONGEST_WAIT_MS = 60 * MINUTE_MS;

/**
 * Counts one more failure. The waits double, from ten minutes up to an hour.
 * @param before what was stored; undefined: it did not fail before
 */
export function failedAgain(
  before: Failing | undefined,
  message: string,
  at: Date,
): {
  readonly failing: Failing;
  readonly retryAt: Date;
  /** It is worth a line in the log: the first failure, or another cause than before. */
  readonly isNews: boolean;
} {
  const count = before === undefined ? 1 : (before.count ?? 1) + 1;
  const waitMs = Math.min(FIRST_WAIT_MS * 2 ** (count - 1), LONGEST_WAIT_MS);
  return {
    failing: { since: before?.since ?? at.toISOString(), message, count },
    retryAt: new Date(at.getTime() + waitMs),
    isNews: before?.message !== message,
  };
}
