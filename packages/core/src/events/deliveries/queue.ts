import type { DeliveryId } from '../../kernel/basics/id.ts';

export interface WakeUp {
  readonly id: DeliveryId;
  readonly attempt: number;
  readonly delayMs: number;
}

/**
 * An alarm clock for retries. It holds nothing that the storage does not hold: losing all of it
 * costs seconds, never an event.
 */
export interface Queue {
  /** Never throws and never waits for the network; failures show in `healthy()`. */
  schedule(wakeUps: readonly WakeUp[]): void;
  healthy(): boolean;
  close(): Promise<void>;
}
