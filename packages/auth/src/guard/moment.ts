import type { Clock } from '@paymount/core/kernel';

/** One instant on both clocks. */
export interface Moment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

/** Reads both clocks. */
export function readClocks(clock: Clock): Moment {
  return { monotonicMs: clock.monotonicMs(), wallMs: clock.now().getTime() };
}

/**
 * Whether `now` is at most `limitMs` after `start`, and not before it, on both clocks: a monotonic
 * clock stops while a virtual machine is suspended, a wall clock may be set.
 */
export function isWithin(start: Moment, now: Moment, limitMs: number): boolean {
  const monotonicMs = now.monotonicMs - start.monotonicMs;
  const wallMs = now.wallMs - start.wallMs;
  return monotonicMs >= 0 && monotonicMs <= limitMs && wallMs >= 0 && wallMs <= limitMs;
}
