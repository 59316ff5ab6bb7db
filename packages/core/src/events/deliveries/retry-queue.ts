import type { DeliveryId } from '../../kernel/basics/id.ts';
import type { DeliveryQueue } from './delivery-repository.ts';

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
  /**
   * Removes wake-ups of attempts that nothing waits for any more, such as those of canceled deliveries:
   * they would stay until they are due, up to 48 hours. Looks at one page of them.
   * @param from how many to pass over
   * @param findWaiting those of the named attempts for which a delivery still waits
   * @returns where the next page begins; undefined at the end, or while Redis is down
   */
  prune(
    from: number,
    findWaiting: DeliveryQueue['findWaiting'],
  ): Promise<{ readonly removed: number; readonly next?: number }>;
  healthy(): boolean;
  /** Whether Redis may drop wake-ups when its memory is full. */
  evicts(): boolean;
  close(): Promise<void>;
}
