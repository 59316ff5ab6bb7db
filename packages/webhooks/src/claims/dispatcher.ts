import { randomUUID } from 'node:crypto';
import type {
  ClaimedDelivery,
  DeliveryQueue,
  Dispatch,
  Lease,
  NewDelivery,
} from '@paymount/core/events';
import type { Clock, DeliveryId, Logger } from '@paymount/core/kernel';
import { toError } from '@paymount/core/kernel';
import { LEASE_MS } from '../attempts/lease.ts';
import type { Sender } from './sender.ts';
import type { Reservation } from './waiting-rows.ts';

const MAX_WANTED = 10_000;
const MAX_CLAIMED_AT_ONCE = 200;
/** The clocks of Redis and the database may differ by this much; the row is held until due. */
const AHEAD_MS = 1_000;

const ORIGINS = ['event', 'replay'] as const;

/** One attempt by its name. */
interface WantedAttempt {
  readonly id: DeliveryId;
  readonly attempt: number;
}

/**
 * First attempts right after their commit, and attempts for which the retry queue wakes this
 * process. Rows with a reservation were inserted with a lease and are sent without another query;
 * all others are claimed by id. Attempts without a free slot, those of endpoints at their limit, and
 * those of the slow lane are left to the sweeper.
 */
export class Dispatcher implements Dispatch {
  readonly #deliveries: DeliveryQueue;
  readonly #sender: Sender;
  readonly #clock: Clock;
  readonly #logger: Logger;
  /** Of rows that are inserted leased. Each is inserted once, so the token may be the same. */
  readonly #lease: Lease = { token: randomUUID(), lengthMs: LEASE_MS };
  readonly #reservations = new Map<DeliveryId, Reservation>();
  readonly #unreserved = new Set<() => void>();
  #wanted: WantedAttempt[] = [];
  #claiming: Promise<void> | undefined;
  #onLeft: (origins: readonly ClaimedDelivery['origin'][]) => void = () => undefined;

  constructor(ports: {
    readonly deliveries: DeliveryQueue;
    readonly sender: Sender;
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    this.#deliveries = ports.deliveries;
    this.#sender = ports.sender;
    this.#clock = ports.clock;
    this.#logger = ports.logger;
  }

  /** Called each time a claim leaves rows, such as those of an endpoint at its limit. */
  whenLeft(listener: (origins: readonly ClaimedDelivery['origin'][]) => void): void {
    this.#onLeft = listener;
  }

  reserve(delivery: NewDelivery): Lease | undefined {
    const reservation = this.#sender.reserve(delivery);
    if (reservation === undefined) return undefined;
    this.#reservations.set(delivery.id, reservation);
    return this.#lease;
  }

  committed(deliveries: readonly ClaimedDelivery[]): void {
    const reserved = deliveries.flatMap((delivery) => {
      const reservation = this.#take(delivery.id);
      return reservation === undefined ? [] : [{ delivery, reservation }];
    });
    this.#sender.startReserved(reserved);
  }

  released(deliveries: readonly NewDelivery[]): void {
    this.#sender.leave(deliveries.flatMap(({ id }) => this.#take(id) ?? []));
  }

  announce(ids: readonly DeliveryId[]): void {
    this.wake(ids.map((id) => ({ id, attempt: 1 })));
  }

  /** Claims these attempts soon; requests of the same turn are claimed together. */
  wake(wanted: readonly WantedAttempt[]): void {
    if (this.#wanted.length + wanted.length > MAX_WANTED) {
      this.#onLeft(ORIGINS);
      return;
    }
    this.#wanted.push(...wanted);
    this.#claiming ??= this.#claimWanted().finally(() => {
      this.#claiming = undefined;
    });
  }

  /** Waits until the requested attempts are claimed. */
  async claimed(): Promise<void> {
    await this.#claiming;
  }

  /** Waits until every transaction that reserved a slot has ended. */
  async unreserved(): Promise<void> {
    while (this.#reservations.size > 0) {
      await new Promise<void>((resolve) => this.#unreserved.add(resolve));
    }
  }

  #take(id: DeliveryId): Reservation | undefined {
    const reservation = this.#reservations.get(id);
    this.#reservations.delete(id);
    if (this.#reservations.size === 0) {
      for (const resolve of this.#unreserved) resolve();
      this.#unreserved.clear();
    }
    return reservation;
  }

  async #claimWanted(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#wanted.length > 0) {
      const limit = Math.min(this.#sender.room('fast'), MAX_CLAIMED_AT_ONCE);
      const wanted = this.#wanted.splice(0, limit);
      if (wanted.length === 0) {
        this.#wanted = [];
        this.#onLeft(ORIGINS);
        return;
      }
      await this.#claim(wanted);
    }
  }

  async #claim(wanted: readonly WantedAttempt[]): Promise<void> {
    const limit = wanted.length;
    const replays = Math.min(limit, this.#sender.roomForReplays('fast'));
    try {
      await this.#sender.claim({ lane: 'fast', limit, replays }, async ({ token, lengthMs }) => {
        const { deliveries, left } = await this.#deliveries.claimById({
          shiftMs: this.#clock.shiftMs,
          leaseToken: token,
          leaseMs: lengthMs,
          wanted,
          aheadMs: AHEAD_MS,
          replays,
          ...this.#sender.namedBounds,
        });
        if (left.length > 0) this.#onLeft(left);
        return deliveries;
      });
    } catch (error) {
      this.#logger.warn({ err: toError(error) }, 'A claim failed; the sweeper will repeat it.');
    }
  }
}
