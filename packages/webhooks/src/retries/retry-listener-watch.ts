import type { DeliveryQueue } from '@paymount/core/events';
import type { Clock, Logger } from '@paymount/core/kernel';
import { toError } from '@paymount/core/kernel';
import { RestartTimes } from './restart-times.ts';
import type { RetryListener } from './retry-listener.ts';

const WATCH_EVERY_MS = 10_000;
export interface RetryListenerWatchPorts {
  readonly deliveries: Pick<DeliveryQueue, 'overdueMs'>;
  readonly retryListener: RetryListener;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Restarts a retry listener that may hang, less and less often while that does not help. It runs beside the claims, which never wait for it. */
export class RetryListenerWatch {
  readonly #ports: RetryListenerWatchPorts;
  readonly #timer: NodeJS.Timeout;
  readonly #times = new RestartTimes();
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
      if (!this.#times.isTime(overdueMs, clock.monotonicMs())) return;
      const facts = { overdue_ms: Math.round(overdueMs) };
      logger.warn(facts, 'Retries are overdue; restarting the retry listener.');
      await retryListener.restart();
    } catch (error) {
      logger.warn({ err: toError(error) }, 'The retry listener could not be checked.');
    }
  }
}
