import type { ClaimedDelivery, NewDelivery } from '@paymount/core/events';
import type { EndpointId } from '@paymount/core/kernel';
import { type LeasedRow, lastStartMs } from '../attempts/lease.ts';
import type { Lanes, Slot } from '../lanes/lanes.ts';
import { SharedPlaces } from '../lanes/shared-places.ts';
import { ClaimedRows } from './claimed-rows.ts';
import { HeldRows } from './held-rows.ts';

/** As many first attempts wait as are sent in three rounds. One account alone gets places for two. */
const HELD_ROUNDS = 3;

/** What a row that will be inserted leased has: a slot, or a place to wait for one. */
export interface Reservation {
  readonly slot: Slot | undefined;
  readonly endpointId: EndpointId;
  readonly reservedAtMs: number;
}

/** A committed row with what was reserved for it. */
export interface ReservedRow {
  readonly delivery: ClaimedDelivery;
  readonly reservation: Reservation;
}

/** A row that may be sent now. */
export interface ReadyRow extends LeasedRow {
  readonly slot: Slot;
}

/** All leased rows that wait for a slot, or for the moment at which they are due. */
export class WaitingRows {
  readonly claimed: ClaimedRows;
  readonly held: HeldRows;
  readonly #lanes: Lanes;

  constructor(lanes: Lanes) {
    this.#lanes = lanes;
    this.claimed = new ClaimedRows(lanes);
    const { slots, accountShare, reserved } = lanes.of('fast').limits;
    const limits = { size: HELD_ROUNDS * slots, accountShare, reserved: HELD_ROUNDS * reserved };
    this.held = new HeldRows(new SharedPlaces(limits));
  }

  get isEmpty(): boolean {
    return this.claimed.isEmpty && this.held.isEmpty;
  }

  /** Takes a place for a first attempt that will be inserted leased. @returns false without one */
  hold(delivery: NewDelivery, nowMs: number): boolean {
    const most = this.#lanes.mostHeld(delivery);
    return most > 0 && this.held.reserve(delivery, most, nowMs);
  }

  /** When the next row becomes due or too old; infinite if none waits. */
  nextAtMs(nowMs: number): number {
    return Math.min(this.claimed.nextAtMs(nowMs), this.held.nextAtMs);
  }

  /**
   * Takes out the rows that get a slot, fresh events first, and those that are too old to be sent.
   * @param slotFor takes a slot, if the row may have one
   */
  takeReady(
    nowMs: number,
    slotFor: (delivery: ClaimedDelivery) => Slot | undefined,
  ): { readonly ready: readonly ReadyRow[]; readonly stale: readonly ClaimedDelivery[] } {
    const ready: ReadyRow[] = [];
    const stale: ClaimedDelivery[] = [];
    const takeStale = ({ delivery, claimedAtMs }: LeasedRow): boolean =>
      nowMs > lastStartMs(claimedAtMs) && stale.push(delivery) > 0;
    const take = (row: LeasedRow): boolean => {
      if (takeStale(row)) return true;
      const slot = slotFor(row.delivery);
      return slot !== undefined && ready.push({ ...row, slot }) > 0;
    };
    this.claimed.offer('event', nowMs, take);
    this.held.offer(nowMs, (row) => (this.#hasRoomFor(row.delivery) ? take(row) : takeStale(row)));
    this.claimed.offer('replay', nowMs, take);
    return { ready, stale };
  }

  /** Takes all rows out. */
  takeAll(nowMs: number): readonly ClaimedDelivery[] {
    return [...this.claimed.takeAll(), ...this.held.takeAll(nowMs)];
  }

  /**
   * A quarter of the slots is left to claims, so that what is held delays no older delivery, except of an
   * account that has no slot.
   */
  #hasRoomFor({ accountId }: ClaimedDelivery): boolean {
    const lane = this.#lanes.of('fast');
    return lane.free > lane.limits.slots / 4 || !lane.hasSlot(accountId);
  }
}
