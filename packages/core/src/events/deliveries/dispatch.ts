import type { Owner } from '../../kernel/basics/environment.ts';
import type { DeliveryId, EndpointId } from '../../kernel/basics/id.ts';
import type { ClaimedDelivery, EndpointLane, Lease } from './delivery.ts';

/** A delivery that will be inserted. */
export interface NewDelivery extends Owner {
  readonly id: DeliveryId;
  readonly endpointId: EndpointId;
  readonly url: string;
  readonly lane: EndpointLane;
}

/**
 * First attempts, right after the commit. Storage calls it around each of its commits; it forwards
 * to the delivery engine of this process, if there is one.
 */
export interface Dispatch {
  /**
   * Reserves a slot, or a place to wait for one, for a delivery that will be inserted with a lease.
   * @returns the lease to insert it with; undefined if there is neither or no worker runs here
   */
  reserve(delivery: NewDelivery): Lease | undefined;
  /** The transaction committed: sends the reserved deliveries. Never throws, never waits. */
  committed(deliveries: readonly ClaimedDelivery[]): void;
  /** The transaction was rolled back, or its outcome is unknown: gives back what was reserved. */
  released(deliveries: readonly NewDelivery[]): void;
  /**
   * Unleased first attempts were committed: wakes the workers that may claim them. Never throws.
   */
  announce(ids: readonly DeliveryId[]): void;
}

/** A placeholder for the engine of this process, so that storage can be created first. */
export class DispatchHub implements Dispatch {
  readonly #elsewhere: Dispatch | undefined;
  #engine: Dispatch | undefined;

  /**
   * @param elsewhere notified of commits while no engine is attached: workers of other processes
   */
  constructor(elsewhere?: Dispatch) {
    this.#elsewhere = elsewhere;
    this.#engine = elsewhere;
  }

  /** One engine at a time; a second one replaces the first. */
  attach(engine: Dispatch): void {
    this.#engine = engine;
  }

  detach(engine: Dispatch): void {
    if (this.#engine === engine) this.#engine = this.#elsewhere;
  }

  reserve(delivery: NewDelivery): Lease | undefined {
    return this.#engine?.reserve(delivery);
  }

  committed(deliveries: readonly ClaimedDelivery[]): void {
    this.#engine?.committed(deliveries);
  }

  released(deliveries: readonly NewDelivery[]): void {
    this.#engine?.released(deliveries);
  }

  announce(ids: readonly DeliveryId[]): void {
    this.#engine?.announce(ids);
  }
}
