import type { DeliveryId } from '../../kernel/basics/id.ts';

export interface WakeUp {
  readonly id: DeliveryId;
  readonly attempt: number;
  readonly delayMs: number;
}

/**
 * Wakes workers for retries. It holds no data that storage does not hold: losing all of it delays
 * events by seconds and never loses one.
 */
export interface RetryQueue {
  /** Never throws and never waits for the network; `healthy()` reports failures. */
  schedule(wakeUps: readonly WakeUp[]): void;
  healthy(): boolean;
  /** Whether Redis may drop wake-ups when its memory is full. */
  evicts(): boolean;
  close(): Promise<void>;
}
