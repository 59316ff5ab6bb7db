import type { TestClockId } from '@paymount/core/kernel';

const DAY_MS = 24 * 60 * 60 * 1000;
/** How long what the sandbox does later takes, so that nobody has to wait for it. */
export const SOON_MS = 2_000;

/**
 * How long it takes on a test clock, where waiting costs nothing: about as long as at a real processor.
 * An alert ends after three days, so its chargeback comes before that.
 */
const ON_A_CLOCK_MS = {
  /** Until a refund has reached the card, or failed to. */
  refund: 5 * DAY_MS,
  /** Until the bank sends back a refund that had succeeded. */
  refund_return: 10 * DAY_MS,
  /** Between a charge and its dispute, and between an alert and its chargeback. */
  dispute: 2 * DAY_MS,
  /** Between evidence and the ruling. */
  ruling: 30 * DAY_MS,
  /** Until a payout is handed to the bank. */
  payout: 2 * DAY_MS,
} as const;

/** What takes time. */
export type Wait = keyof typeof ON_A_CLOCK_MS;

/** How long something takes, in milliseconds. @param clock the test clock that it happens on */
export function waitMs(wait: Wait, clock: TestClockId | undefined): number {
  return clock === undefined ? SOON_MS : ON_A_CLOCK_MS[wait];
}
