import type { ClaimedDelivery, NewDelivery } from '@paymount/core/events';
import type { AccountId, EndpointId } from '@paymount/core/kernel';
import { type LeasedRow, lastStartMs } from '../attempts/lease.ts';
import type { SharedPlaces } from '../lanes/shared-places.ts';

/** How long an endpoint gets no place after one was refused and its last row has left. */
const REFUSED_FOR_MS = 1_000;
const MAX_KNOWN_REFUSALS = 1_000;

interface Places {
  readonly accountId: AccountId;
  /** Of rows that wait, and of rows that are not committed yet. */
  taken: number;
  readonly rows: LeasedRow[];
}

/**
 * First attempts that found no free slot and wait for one with the lease that they were inserted
 * with, so that nobody has to claim them. What finds no place is claimed, in the order of due times.
 * So that it is not overtaken for ever, its endpoint then gets no place for a while.
 */
export class HeldRows {
  readonly #places: SharedPlaces;
  readonly #endpoints = new Map<EndpointId, Places>();
  /** Until when an endpoint gets no place. */
  readonly #refusedUntilMs = new Map<EndpointId, number>();
  #waiting = 0;

  /** @param places of all endpoints */
  constructor(places: SharedPlaces) {
    this.#places = places;
  }

  /** Whether no committed row waits. */
  get isEmpty(): boolean {
    return this.#waiting === 0;
  }

  /** When the first row becomes too old to be sent; infinite if none waits. */
  get nextAtMs(): number {
    let nextAtMs = Number.POSITIVE_INFINITY;
    if (this.isEmpty) return nextAtMs;
    for (const { rows } of this.#endpoints.values()) {
      const row = rows[0];
      if (row !== undefined) nextAtMs = Math.min(nextAtMs, lastStartMs(row.claimedAtMs));
    }
    return nextAtMs;
  }

  /** Whether a committed row of the endpoint waits. */
  has(endpointId: EndpointId): boolean {
    return (this.#endpoints.get(endpointId)?.rows.length ?? 0) > 0;
  }

  /**
   * Takes a place for a row that will be inserted.
   * @param limit how many places its endpoint may have
   * @returns whether there was one
   */
  reserve(
    { endpointId, accountId }: Pick<NewDelivery, 'endpointId' | 'accountId'>,
    limit: number,
    nowMs: number,
  ): boolean {
    const places = this.#endpoints.get(endpointId);
    const isRefused = nowMs < (this.#refusedUntilMs.get(endpointId) ?? 0);
    if (isRefused || !this.#places.hasRoomFor(accountId) || (places?.taken ?? 0) >= limit) {
      this.#refuse(endpointId, places, nowMs);
      return false;
    }
    this.#places.add(accountId, 1);
    if (places === undefined) this.#endpoints.set(endpointId, { accountId, taken: 1, rows: [] });
    else places.taken += 1;
    return true;
  }

  /** A row with a place was committed. */
  add(row: LeasedRow): void {
    this.#endpoints.get(row.delivery.endpointId)?.rows.push(row);
    this.#waiting += 1;
  }

  /** Gives back the place of a row that was not committed. */
  leave(endpointId: EndpointId, nowMs: number): void {
    const places = this.#endpoints.get(endpointId);
    if (places === undefined) return;
    this.#places.add(places.accountId, -1);
    places.taken -= 1;
    if (places.taken > 0) return;
    this.#endpoints.delete(endpointId);
    if (this.#refusedUntilMs.get(endpointId) === Number.POSITIVE_INFINITY)
      this.#refusedUntilMs.set(endpointId, nowMs + REFUSED_FOR_MS);
  }

  /**
   * Offers one row of each endpoint in turn, and the next ones while they are taken.
   * @param take whether it takes the row; it must not change what is held
   */
  offer(nowMs: number, take: (row: LeasedRow) => boolean): void {
    if (this.isEmpty) return;
    // An endpoint that is put at the end is visited again.
    for (const [endpointId, places] of this.#endpoints) {
      const row = places.rows[0];
      if (row === undefined || !take(row)) continue;
      places.rows.shift();
      this.#waiting -= 1;
      this.leave(endpointId, nowMs);
      if (this.#endpoints.delete(endpointId)) this.#endpoints.set(endpointId, places);
    }
  }

  /** Takes all waiting rows out. */
  takeAll(nowMs: number): readonly ClaimedDelivery[] {
    const all: ClaimedDelivery[] = [];
    this.offer(nowMs, ({ delivery }) => all.push(delivery) > 0);
    return all;
  }

  #refuse(endpointId: EndpointId, places: Places | undefined, nowMs: number): void {
    const until = this.#refusedUntilMs.get(endpointId) ?? 0;
    if (places !== undefined) this.#refusedUntilMs.set(endpointId, Number.POSITIVE_INFINITY);
    else if (until <= nowMs) this.#refusedUntilMs.set(endpointId, nowMs + REFUSED_FOR_MS);
    if (this.#refusedUntilMs.size <= MAX_KNOWN_REFUSALS) return;
    for (const [id, atMs] of this.#refusedUntilMs)
      if (atMs <= nowMs) this.#refusedUntilMs.delete(id);
  }
}
