import type { DeliveryQueue } from '@paymount/core/events';
import type { Clock, Logger } from '@paymount/core/kernel';
import { toError } from '@paymount/core/kernel';
import type { RetryListener } from './retry-listener.ts';

const WATCH_EVERY_MS = 10_000;
/** If Redis responds although deliveries are this much overdue, the retry listener hangs. */
const LISTENER_STUCK_MS = 15_000;

export interface RetryListenerWatchPorts {
  readonly deliveries: Pick<DeliveryQueue, 'overdueMs'>;
  readonly retryListener: RetryListener;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Restarts a retry listener that hangs. It runs beside the claims, which never wait for it. */
export class RetryListenerWatch {
  readonly #ports: RetryListenerWatchPorts;
  readonly #timer: NodeJS.Timeout;
  #looking: Promise<void> | undefined;

  constructor(ports: RetryListenerWatchPorts) {
    this.#ports = ports;
    this.#timer = setInterval(() => {
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined;
      });
    }, WATCH_EVERY_MS);
  }

  /** Waits for a restart that is running. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { retryListener, deliveries, clock, logger } = this.#ports;
    try {
      if (!retryListener.connected()) return;
      const { fast: overdueMs } = await deliveries.overdueMs(clock.shiftMs);
      if (overdueMs < LISTENER_STUCK_MS) return;
      const facts = { overdue_ms: Math.round(overdueMs) };
      logger.warn(facts, 'Retries are overdue; restarting the retry listener.');
      await retryListener.restart();
    } catch (error) {
      logger.warn({ err: toError(error) }, 'The retry listener could not be checked.');
    }
  }
}
