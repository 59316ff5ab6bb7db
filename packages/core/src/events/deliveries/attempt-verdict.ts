import { MAX_ATTEMPTS, waitBefore } from './attempt-schedule.ts';
import type { Verdict } from './delivery.ts';

/**
 * Decides what follows an ended attempt (specification: Events, Delivery and retries).
 * @param attempt 1-8, the number of the ended attempt
 * @param random 0 to 1, for jitter
 * @param retryAfterMs the receiver's hint on 429 and 503
 */
export function attemptVerdict(result: {
  readonly succeeded: boolean;
  readonly attempt: number;
  readonly random: number;
  readonly retryAfterMs?: number;
}): Verdict {
  if (result.succeeded) return { next: 'succeeded' };
  if (result.attempt >= MAX_ATTEMPTS) return { next: 'failed' };
  const attempt = result.attempt + 1;
  return {
    next: 'retry',
    attempt,
    waitMs: waitBefore(attempt, result.random, result.retryAfterMs),
  };
}
