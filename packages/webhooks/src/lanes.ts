import type { EndpointId } from '@paymount/core/kernel';

/** The limits for one kind of traffic in this process. */
export interface LaneLimits {
  /** Sends at once. */
  readonly slots: number;
  readonly perEndpoint: number;
  /**
   * The higher limit while under half of the slots are used and the last response of the endpoint
   * was 2xx.
   */
  readonly perEndpointRelaxed: number;
  /** Endpoints of one origin share a server, which many of them must not overload. */
  readonly perOrigin: number;
  /** The maximum number of concurrent sends of replays, so that fresh events barely wait. */
  readonly replays: number;
}

/**
 * The lanes of one process. A second one, `slow`, for endpoints that take over 3 s to answer, will
 * be added together with a column for it.
 */
export const LANES = {
  fast: { slots: 256, perEndpoint: 4, perEndpointRelaxed: 32, perOrigin: 64, replays: 64 },
} as const satisfies Record<string, LaneLimits>;

// Enough for all endpoints that are busy at once; older ones start again with the small limit.
const MAX_KNOWN_ENDPOINTS = 10_000;

/** The right to make one send; `Lane.leave` releases it. */
export interface Slot {
  readonly endpointId: EndpointId;
  readonly origin: string;
  readonly isReplay: boolean;
}

interface EndpointUse {
  running: number;
  /** How many of them are replays. */
  replays: number;
  answeredWell: boolean;
}

/** Counts concurrent sends. Pure bookkeeping, without time or network. */
export class Lane {
  readonly #limits: LaneLimits;
  readonly #endpoints = new Map<EndpointId, EndpointUse>();
  readonly #origins = new Map<string, number>();
  #taken = 0;
  #replays = 0;

  constructor(limits: LaneLimits) {
    this.#limits = limits;
  }

  get taken(): number {
    return this.#taken;
  }

  get free(): number {
    return this.#limits.slots - this.#taken;
  }

  /** How many more sends of replays may start. */
  get freeForReplays(): number {
    return Math.min(this.free, this.#limits.replays - this.#replays);
  }

  /**
   * @param isReplay whether the event is a replay
   * @defaultValue false
   * @returns undefined while the lane, the endpoint or its origin is at its limit
   */
  enter(endpointId: EndpointId, origin: string, isReplay = false): Slot | undefined {
    const use = this.#endpoints.get(endpointId);
    const onOrigin = this.#origins.get(origin) ?? 0;
    if (isReplay && this.freeForReplays <= 0) return undefined;
    if (this.free === 0 || onOrigin >= this.#limits.perOrigin) return undefined;
    if (use !== undefined && use.running >= this.#slotLimit(use)) return undefined;
    this.#taken += 1;
    if (isReplay) this.#replays += 1;
    this.#origins.set(origin, onOrigin + 1);
    if (use === undefined) {
      this.#remember(endpointId, isReplay);
    } else {
      use.running += 1;
      if (isReplay) use.replays += 1;
    }
    return { endpointId, origin, isReplay };
  }

  /** @param answeredWell the response was 2xx; absent if nothing was sent */
  leave(slot: Slot, answeredWell?: boolean): void {
    this.#taken -= 1;
    if (slot.isReplay) this.#replays -= 1;
    const onOrigin = (this.#origins.get(slot.origin) ?? 1) - 1;
    if (onOrigin === 0) this.#origins.delete(slot.origin);
    else this.#origins.set(slot.origin, onOrigin);
    const use = this.#endpoints.get(slot.endpointId);
    if (use === undefined) return;
    use.running -= 1;
    if (slot.isReplay) use.replays -= 1;
    if (answeredWell !== undefined) use.answeredWell = answeredWell;
    // An unknown endpoint counts as not having responded with 2xx, so an entry can be dropped.
    if (use.running === 0 && !use.answeredWell) this.#endpoints.delete(slot.endpointId);
  }

  /**
   * Endpoints that may not start another send. If a replay has a slot at an endpoint, a fresh event
   * may wait for that slot and is next.
   */
  atLimit(origin: 'event' | 'replay'): EndpointId[] {
    const full: EndpointId[] = [];
    for (const [id, use] of this.#endpoints) {
      if (origin === 'event' && use.replays > 0) continue;
      if (use.running >= this.#slotLimit(use)) full.push(id);
    }
    return full;
  }

  #slotLimit(use: EndpointUse): number {
    const { slots, perEndpoint, perEndpointRelaxed } = this.#limits;
    return use.answeredWell && this.#taken < slots / 2 ? perEndpointRelaxed : perEndpoint;
  }

  #remember(endpointId: EndpointId, isReplay: boolean): void {
    if (this.#endpoints.size >= MAX_KNOWN_ENDPOINTS) {
      for (const [id, use] of this.#endpoints) if (use.running === 0) this.#endpoints.delete(id);
    }
    const replays = isReplay ? 1 : 0;
    this.#endpoints.set(endpointId, { running: 1, replays, answeredWell: false });
  }
}
