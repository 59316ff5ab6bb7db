import type { EndpointLane } from '@paymount/core/events';
import type { AccountId, EndpointId } from '@paymount/core/kernel';
import { Lane, type LaneLimits, type SendFacts, shareOfReplays } from './lane.ts';

// Enough for all endpoints that are busy at once; older ones start again with the small limit.
const MAX_KNOWN_ENDPOINTS = 10_000;

/** A send that asks for a slot. */
export interface SlotRequest extends SendFacts {
  readonly endpointId: EndpointId;
  /** Of the endpoint's row. */
  readonly lane: EndpointLane;
}

/** The right to make one send; `Lanes.leave` releases it. */
export interface Slot extends SendFacts {
  readonly endpointId: EndpointId;
  /** Of the endpoint's row when the send began. */
  readonly rowLane: EndpointLane;
  /** The lane that it takes a slot of; `Lanes.moveToSlow` changes it. */
  lane: EndpointLane;
  /** Its send continues without a slot. */
  isAside: boolean;
  /** No headers arrived for 3 s. */
  isLate: boolean;
}

/** How a send ended: nothing was sent, or no headers arrived, or other than 2xx, or 2xx. */
export type SendEnd = 'unsent' | 'unanswered' | 'refused' | 'accepted';

interface EndpointUse {
  lane: EndpointLane;
  running: number;
  /** How many of them are replays. */
  replays: number;
  answeredWell: boolean;
}

/**
 * The slots of this process, in two lanes. The row of an endpoint names its lane. While sends of it
 * run here, what they showed counts for more than its row, which may have been read before.
 */
export class Lanes {
  readonly #lanes: Readonly<Record<EndpointLane, Lane>>;
  readonly #endpoints = new Map<EndpointId, EndpointUse>();

  constructor(limits: Readonly<Record<EndpointLane, LaneLimits>>) {
    this.#lanes = { fast: new Lane(limits.fast), slow: new Lane(limits.slow) };
  }

  /** The counts of one lane. */
  of(lane: EndpointLane): Lane {
    return this.#lanes[lane];
  }

  /** @returns undefined while the lane, the endpoint, its origin or account is at its limit */
  enter(request: SlotRequest): Slot | undefined {
    const { endpointId, accountId, origin, isReplay } = request;
    const use = this.#useOf(request);
    const lane = this.#lanes[use.lane];
    if (this.#isFull(use, isReplay) || !lane.hasRoomFor(request)) return undefined;
    lane.add(request);
    use.running += 1;
    if (isReplay) use.replays += 1;
    this.#remember(endpointId, use);
    const { lane: rowLane } = request;
    const facts = { endpointId, accountId, origin, isReplay, rowLane };
    return { ...facts, lane: use.lane, isAside: false, isLate: false };
  }

  /**
   * A send takes longer than most: it gives back its slot, if half of its lane is used; in the slow lane
   * only once it is late, so that each send there has 3 s to show that its endpoint answers again. Its
   * endpoint gets the small share until its next response with 2xx.
   * @returns whether a slot became free
   */
  setAside(slot: Slot): boolean {
    if (slot.isAside || (slot.lane === 'slow' && !slot.isLate)) return false;
    if (!this.#lanes[slot.lane].setAside(slot)) return false;
    slot.isAside = true;
    const use = this.#endpoints.get(slot.endpointId);
    if (use !== undefined) use.answeredWell = false;
    return true;
  }

  /**
   * No headers arrived in time: moves the send to the slow lane, even if that is full, and its
   * endpoint with it.
   * @returns whether the endpoint was in the other lane
   */
  moveToSlow(slot: Slot): boolean {
    const use = this.#endpoints.get(slot.endpointId);
    if (slot.isLate) return false;
    slot.isLate = true;
    this.#lanes[slot.lane].remove(slot, slot.isAside);
    slot.lane = 'slow';
    slot.isAside = false;
    this.#lanes.slow.add(slot);
    if (use === undefined || use.lane === 'slow') return false;
    use.lane = 'slow';
    use.answeredWell = false;
    return true;
  }

  /**
   * Any response moves the endpoint to the fast lane.
   * @returns whether it was, or its row may be, in the other lane
   */
  leave(slot: Slot, end: SendEnd = 'unsent'): boolean {
    this.#lanes[slot.lane].remove(slot, slot.isAside);
    const use = this.#endpoints.get(slot.endpointId);
    if (use === undefined) return false;
    use.running -= 1;
    if (slot.isReplay) use.replays -= 1;
    const isAnswered = end === 'refused' || end === 'accepted';
    const isMoved = isAnswered && (use.lane === 'slow' || slot.rowLane === 'slow');
    if (isAnswered) use.lane = 'fast';
    if (end !== 'unsent') use.answeredWell = end === 'accepted' && !slot.isLate;
    // An unknown endpoint counts as not having responded with 2xx, so an entry can be dropped.
    if (use.running === 0 && !use.answeredWell) this.#endpoints.delete(slot.endpointId);
    return isMoved;
  }

  /**
   * Endpoints of a lane that may not start another send. Where only replays are at their limit, a
   * fresh event may start.
   */
  fullEndpoints(lane: EndpointLane, origin: 'event' | 'replay'): EndpointId[] {
    return [...this.#endpoints]
      .filter(([, use]) => use.lane === lane && this.#isFull(use, origin === 'replay'))
      .map(([id]) => id);
  }

  /** Endpoints with running sends that may have more than others, because they answer at once. */
  quickEndpoints(lane: EndpointLane): EndpointId[] {
    if (!this.#lanes[lane].isRelaxed) return [];
    return [...this.#endpoints]
      .filter(([, use]) => use.lane === lane && use.running > 0 && use.answeredWell)
      .map(([id]) => id);
  }

  /** Accounts that may not start another send in this lane. */
  fullAccounts(lane: EndpointLane): AccountId[] {
    return this.#lanes[lane].fullAccounts;
  }

  /** Whether an endpoint that has sends running may not start another one. */
  isEndpointFull(endpointId: EndpointId, isReplay: boolean): boolean {
    const use = this.#endpoints.get(endpointId);
    return use !== undefined && use.running > 0 && this.#isFull(use, isReplay);
  }

  /** How many first attempts of an endpoint may wait here for a slot: as many as may run. */
  mostHeld({ endpointId, lane }: Pick<SlotRequest, 'endpointId' | 'lane'>): number {
    const use = this.#endpoints.get(endpointId) ?? { lane, answeredWell: false };
    // In the slow lane a slot is rarely free before a lease becomes too old.
    if (use.lane === 'slow') return 0;
    const { perEndpoint, perEndpointRelaxed } = this.#lanes.fast.limits;
    return use.answeredWell ? perEndpointRelaxed : perEndpoint;
  }

  #useOf({ endpointId, lane }: SlotRequest): EndpointUse {
    const use = this.#endpoints.get(endpointId);
    if (use === undefined) return { lane, running: 0, replays: 0, answeredWell: false };
    if (use.running === 0) use.lane = lane;
    return use;
  }

  #isFull({ lane, running, replays, answeredWell }: EndpointUse, isReplay: boolean): boolean {
    const { limits, isRelaxed } = this.#lanes[lane];
    const limit = answeredWell && isRelaxed ? limits.perEndpointRelaxed : limits.perEndpoint;
    return running >= limit || (isReplay && replays >= shareOfReplays(limit));
  }

  #remember(endpointId: EndpointId, use: EndpointUse): void {
    if (this.#endpoints.has(endpointId)) return;
    if (this.#endpoints.size >= MAX_KNOWN_ENDPOINTS) {
      for (const [id, { running }] of this.#endpoints)
        if (running === 0) this.#endpoints.delete(id);
    }
    this.#endpoints.set(endpointId, use);
  }
}
