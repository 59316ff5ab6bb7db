import type { Clock } from '@paymount/core/kernel';

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  shiftMs: 0,
};
