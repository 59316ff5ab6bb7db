import type { DeliveryId } from '../../kernel/basics/id.ts';

/**
 * Wakes the workers of other processes for first attempts. No delivery depends on it: a worker that
 * misses a notification finds the delivery within a second.
 */
export interface DeliveryNotifier {
  /** Unleased first attempts were committed. Never throws, and never waits. */
  announce(ids: readonly DeliveryId[]): void;
  /**
   * Calls `onCommitted` with what any process announces. @returns a function that stops listening
   */
  listen(onCommitted: (ids: readonly DeliveryId[]) => void): () => Promise<void>;
}
