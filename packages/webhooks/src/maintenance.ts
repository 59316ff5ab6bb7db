import type { DeliveryQueue } from '@paymount/core/events';
import type { Clock, Logger } from '@paymount/core/kernel';
import type { DatabaseClock } from './database-clock.ts';
import type { RetryListener } from './retry-listener.ts';

const PARTITIONS_EVERY_MS = 3_600_000;
const PARTITION_DAYS = 7;
const WATCH_EVERY_MS = 10_000;
/** If Redis responds although deliveries are this much overdue, the retry listener hangs. */
const LISTENER_STUCK_MS = 15_000;

export interface MaintenancePorts {
  readonly deliveries: DeliveryQueue;
  readonly databaseClock: DatabaseClock;
  readonly retryListener: RetryListener | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Periodic work of a worker besides sending. It does not drop old partitions yet. */
export class Maintenance {
  readonly #ports: MaintenancePorts;
  #watchAtMs = 0;
  #partitionsAtMs = Number.NEGATIVE_INFINITY;

  constructor(ports: MaintenancePorts) {
    this.#ports = ports;
  }

  /** Does what is due. @throws when the database cannot be reached */
  async run(): Promise<void> {
    const { clock, databaseClock } = this.#ports;
    await databaseClock.measure();
    await this.#makePartitions(clock.now());
    const nowMs = clock.monotonicMs();
    if (nowMs >= this.#watchAtMs) {
      this.#watchAtMs = nowMs + WATCH_EVERY_MS;
      await this.#watchRetryListener();
    }
  }

  /** By business time, because a clock that jumps a month ahead logs into that month. */
  async #makePartitions(now: Date): Promise<void> {
    if (Math.abs(now.getTime() - this.#partitionsAtMs) < PARTITIONS_EVERY_MS) return;
    await this.#ports.deliveries.createPartitions(now, PARTITION_DAYS);
    this.#partitionsAtMs = now.getTime();
  }

  async #watchRetryListener(): Promise<void> {
    const { retryListener, deliveries, clock, logger } = this.#ports;
    if (retryListener === undefined || !retryListener.connected()) return;
    const overdueMs = await deliveries.overdueMs(clock.shiftMs);
    if (overdueMs < LISTENER_STUCK_MS) return;
    logger.warn(
      { overdue_ms: Math.round(overdueMs) },
      'Retries are overdue; restarting the retry listener.',
    );
    await retryListener.restart();
  }
}
