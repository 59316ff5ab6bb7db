import type { PaymountOptions } from 'paymount';

type Clock = NonNullable<PaymountOptions['clock']>;

/** A clock that is behind the machine's, and catches up in steps. */
export class PastClock implements Clock {
  #behindMs: number;

  /** @param behindMs how far behind it starts */
  constructor(behindMs: number) {
    this.#behindMs = behindMs;
  }

  get shiftMs(): number {
    return -this.#behindMs;
  }

  now(): Date {
    return new Date(Date.now() - this.#behindMs);
  }

  monotonicMs(): number {
    return performance.now() - this.#behindMs;
  }

  /** Moves forward, at most to the machine's time. @returns false if it was there already */
  advance(ms: number): boolean {
    if (this.#behindMs === 0) return false;
    this.#behindMs = Math.max(0, this.#behindMs - ms);
    return true;
  }
}
