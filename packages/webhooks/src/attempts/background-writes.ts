import { setTimeout as wait } from 'node:timers/promises';
import type {
  AttemptRecord,
  ClaimedDelivery,
  DeliveryQueue,
  EndpointLane,
} from '@paymount/core/events';
import type { DeliveryId, EndpointId, Logger, Telemetry } from '@paymount/core/kernel';
import { toError } from '@paymount/core/kernel';
import { abandonedRecord } from './attempt.ts';

/** A database that is restarted is back before the last try. */
const LOG_RETRY_WAITS_MS = [50, 200, 800, 2_000, 5_000, 10_000] as const;

/**
 * Writes that no delivery waits for: if one is lost, a lease expires. Only the end of the process
 * waits for them.
 */
export class BackgroundWrites {
  readonly #deliveries: DeliveryQueue;
  readonly #logger: Logger;
  readonly #telemetry: Telemetry;
  readonly #onEnd: () => void;
  #running = 0;
  #lanes = new Map<EndpointId, EndpointLane>();
  #isWritingLanes = false;

  constructor(ports: {
    readonly deliveries: DeliveryQueue;
    readonly logger: Logger;
    readonly telemetry: Telemetry;
    readonly onEnd: () => void;
  }) {
    this.#deliveries = ports.deliveries;
    this.#logger = ports.logger;
    this.#telemetry = ports.telemetry;
    this.#onEnd = ports.onEnd;
  }

  get running(): number {
    return this.#running;
  }

  /** Releases rows that were not sent, for the next claim. */
  release(deliveries: readonly ClaimedDelivery[]): void {
    const ids = new Map<string, DeliveryId[]>();
    for (const { leaseToken, id } of deliveries) {
      const same = ids.get(leaseToken);
      if (same === undefined) ids.set(leaseToken, [id]);
      else same.push(id);
    }
    for (const [token, of] of ids) {
      this.#run(this.#deliveries.release(token, of), 'Rows were not released.');
    }
  }

  /**
   * Logs the attempts of processes that died holding these rows. This claim alone knows of them, so a
   * failure is repeated.
   */
  recordAbandoned(rows: readonly ClaimedDelivery[]): void {
    const records = rows.flatMap((row) =>
      row.abandoned === undefined ? [] : [abandonedRecord(row, row.abandoned.leasedAt)],
    );
    if (records.length === 0) return;
    this.#telemetry.count('paymount_deliveries_reclaimed_total', {}, records.length);
    this.#run(this.#logAbandoned(records), 'Lost attempts were not logged.');
  }

  /** The lane of an endpoint has changed. Changes of the same moment share a statement. */
  recordLane(endpoint: EndpointId, lane: EndpointLane): void {
    this.#lanes.set(endpoint, lane);
    if (this.#isWritingLanes) return;
    this.#isWritingLanes = true;
    this.#run(this.#writeLanes(), 'Lanes of endpoints were not recorded; the next attempts do it.');
  }

  async #logAbandoned(records: readonly AttemptRecord[]): Promise<void> {
    for (const waitMs of LOG_RETRY_WAITS_MS) {
      try {
        return await this.#deliveries.recordAbandoned(records);
      } catch {
        await wait(waitMs);
      }
    }
    await this.#deliveries.recordAbandoned(records);
  }

  async #writeLanes(): Promise<void> {
    try {
      while (this.#lanes.size > 0) {
        await new Promise((resolve) => setImmediate(resolve));
        const lanes = this.#lanes;
        this.#lanes = new Map();
        await this.#deliveries.changeLanes(lanes);
      }
    } finally {
      this.#isWritingLanes = false;
    }
  }

  #run(work: Promise<void>, onError: string): void {
    this.#running += 1;
    work
      .catch((error: unknown) => this.#logger.warn({ err: toError(error) }, onError))
      .finally(() => {
        this.#running -= 1;
        this.#onEnd();
      });
  }
}
