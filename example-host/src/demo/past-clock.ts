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
    return 0 - this.#behindMs;
  }

  now(): Date {
    return new Date(Date.now() - this.#behindMs);
  }

  monotonicMs(): number {
    return performance.now() - this.#behindMs;
  }

  /** Moves forward, at most to the machine's time. */
  advance(ms: number): void {
    this.#behindMs = Math.max(0, this.#behindMs - ms);
  }
}
