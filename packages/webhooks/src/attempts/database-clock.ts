import type { DeliveryQueue } from '@paymount/core/events';
import type { Clock, Logger } from '@paymount/core/kernel';

const MEASURE_EVERY_MS = 30_000;
const MAX_OFFSET_MS = 30_000;

/**
 * The difference between this machine's clock and the database's, which alone determines due times
 * and leases. If it is over 30 s nothing is claimed, because receivers would refuse the signatures.
 */
export class DatabaseClock {
  readonly #deliveries: Pick<DeliveryQueue, 'databaseTime'>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #offsetMs = 0;
  #measuredAtMs: number | undefined;

  constructor(ports: {
    readonly deliveries: Pick<DeliveryQueue, 'databaseTime'>;
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    this.#deliveries = ports.deliveries;
    this.#clock = ports.clock;
    this.#logger = ports.logger;
  }

  /** Database time in unix milliseconds, under a fake clock its time. */
  nowMs(): number {
    return this.#clock.now().getTime() + this.#offsetMs;
  }

  /** How far the database's clock is ahead of this machine's. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  /** False while the difference of the machine's clock is too large to sign. */
  get trusted(): boolean {
    return Math.abs(this.#offsetMs) <= MAX_OFFSET_MS;
  }

  /** Measures unless it was done in the last 30 s. @throws if the database cannot be reached */
  async measure(): Promise<void> {
    const startedMs = this.#clock.monotonicMs();
    if (this.#measuredAtMs !== undefined && startedMs - this.#measuredAtMs < MEASURE_EVERY_MS)
      return;
    const databaseTime = await this.#deliveries.databaseTime();
    const halfTripMs = (this.#clock.monotonicMs() - startedMs) / 2;
    const { shiftMs } = this.#clock;
    const before = this.trusted;
    this.#measuredAtMs = startedMs;
    this.#offsetMs = databaseTime.getTime() + shiftMs + halfTripMs - this.#clock.now().getTime();
    if (before === this.trusted) return;
    const facts = { offset_ms: Math.round(this.#offsetMs) };
    if (this.trusted) this.#logger.info(facts, 'The clock agrees with the database again.');
    else this.#logger.error(facts, 'The clock is over 30 s off the database; nothing is sent.');
  }
}
