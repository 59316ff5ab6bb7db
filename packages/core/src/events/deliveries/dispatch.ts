import type { Owner } from '../../kernel/basics/environment.ts';
import type { DeliveryId, EndpointId } from '../../kernel/basics/id.ts';
import type { ClaimedDelivery, Lease } from './delivery.ts';

/** A delivery that is about to be inserted. */
export interface NewDelivery extends Owner {
  readonly id: DeliveryId;
  readonly endpointId: EndpointId;
  readonly url: string;
}

/**
 * First attempts, right after the commit. Storage calls it around each commit of its own; the
 * delivery engine of this process, or nobody, stands behind it.
 */
export interface Dispatch {
  /**
   * Reserves a slot for a delivery that will be inserted leased.
   * @returns the lease to insert it with; undefined when no slot is free or no worker runs here
   */
  reserve(delivery: NewDelivery): Lease | undefined;
  /** The commit stood: sends what was reserved. Never throws, never waits. */
  committed(deliveries: readonly ClaimedDelivery[]): void;
  /** The transaction was rolled back, or its outcome is unknown: gives the slots back. */
  released(deliveries: readonly NewDelivery[]): void;
  /** Unleased first attempts were committed: wakes whoever may claim them. Never throws. */
  announce(ids: readonly DeliveryId[]): void;
}

/** Stands before the engine of this process, so that storage is built first. */
export class DispatchHub implements Dispatch {
  readonly #elsewhere: Dispatch | undefined;
  #engine: Dispatch | undefined;

  /** @param elsewhere who hears of commits while no engine is attached: workers of other processes */
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
