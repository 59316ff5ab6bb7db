import type { ClaimedDelivery, DeliveryQueue } from '@paymount/core/events';
import type { DeliveryId, Logger, Telemetry } from '@paymount/core/kernel';
import { toError } from '@paymount/core/kernel';
import { abandonedRecord } from './attempt.ts';

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

  /** Logs the attempts of processes that died holding these rows. */
  recordAbandoned(rows: readonly ClaimedDelivery[]): void {
    const records = rows.flatMap((row) =>
      row.abandoned === undefined ? [] : [abandonedRecord(row, row.abandoned.leasedAt)],
    );
    if (records.length === 0) return;
    this.#telemetry.count('paymount_deliveries_reclaimed_total', {}, records.length);
    this.#run(this.#deliveries.recordAbandoned(records), 'Lost attempts were not logged.');
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
