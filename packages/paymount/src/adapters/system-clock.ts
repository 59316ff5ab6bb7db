import type { Clock } from '@paymount/core/kernel';

/** The machine's time; the only place that reads it for business purposes. */
export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  shiftMs: 0,
};
