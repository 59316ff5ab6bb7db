import type { ClaimById, ClaimDue, ClaimedDelivery, EndpointLane } from '@paymount/core/events';
import type { EndpointId } from '@paymount/core/kernel';
import { type LeasedRow, lastStartMs } from '../attempts/lease.ts';
import { shareOfReplays } from '../lanes/lane.ts';
import type { Lanes } from '../lanes/lanes.ts';

/** A claimed row that waits for a slot, or for the moment at which it is due. */
interface WaitingRow extends LeasedRow {
  readonly notBeforeMs: number;
}

/** The rows that a running claim may return. */
export interface ExpectedRows {
  readonly lane: EndpointLane;
  readonly limit: number;
  /** How many of them may be replays. */
  readonly replays: number;
}

/** Of these, nothing more should be claimed. */
export type BusyParties = Pick<ClaimDue, 'excluded' | 'excludedAccounts'>;

/** What a claim of named rows may take. */
export type NamedBounds = Pick<
  ClaimById,
  'held' | 'excluded' | 'excludedFromReplays' | 'excludedAccounts' | 'quick'
>;

/**
 * The rows that are claimed and not yet sent, and those that running claims may return. It says how
 * many more may be claimed, so that each finds a slot soon: a row whose endpoint, origin or account
 * is at its limit takes no slot from others, so it leaves room for them.
 */
export class ClaimedRows {
  readonly #lanes: Lanes;
  readonly #expected = new Set<ExpectedRows>();
  #waiting: WaitingRow[] = [];

  constructor(lanes: Lanes) {
    this.#lanes = lanes;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0 && this.#expected.size === 0;
  }

  /** When the next row becomes due or too old; infinite if none waits. */
  nextAtMs(nowMs: number): number {
    const times = this.#waiting.map(({ claimedAtMs, notBeforeMs }) =>
      notBeforeMs > nowMs ? notBeforeMs : lastStartMs(claimedAtMs),
    );
    return Math.min(...times);
  }

  /** How many more rows of a lane may be claimed. */
  room(lane: EndpointLane, nowMs: number): number {
    const counts = this.#lanes.of(lane);
    const waiting = this.#waiting.filter(({ delivery }) => delivery.lane === lane);
    const early = waiting.filter(({ notBeforeMs }) => notBeforeMs > nowMs);
    const expected = sum([...this.#expected].map((rows) => (rows.lane === lane ? rows.limit : 0)));
    const slots = counts.free - early.length;
    return Math.max(0, Math.min(slots, counts.limits.slots - waiting.length) - expected);
  }

  /** How many of them may be replays. */
  roomForReplays(lane: EndpointLane, nowMs: number): number {
    const waiting = this.#waiting.filter(
      ({ delivery }) => delivery.lane === lane && delivery.origin === 'replay',
    );
    const expected = sum(
      [...this.#expected].map((rows) => (rows.lane === lane ? rows.replays : 0)),
    );
    const free = this.#lanes.of(lane).freeForReplays - waiting.length - expected;
    return Math.max(0, Math.min(this.room(lane, nowMs), free));
  }

  /**
   * Accounts at their limit, and endpoints at theirs or with waiting rows. Replays do not block
   * fresh events.
   */
  busy(lane: EndpointLane, origin: ClaimedDelivery['origin']): BusyParties {
    const waiting = this.#waiting
      .filter(({ delivery }) => delivery.lane === lane)
      .filter(({ delivery }) => origin === 'replay' || delivery.origin === 'event')
      .map(({ delivery }) => delivery.endpointId);
    return {
      excluded: [...new Set([...this.#lanes.fullEndpoints(lane, origin), ...waiting])],
      excludedAccounts: this.#lanes.fullAccounts(lane),
    };
  }

  /**
   * Which named rows of the fast lane may be claimed: few that would only wait, so that others find
   * room. An endpoint that answers at once may have as many waiting rows as sends.
   */
  get namedBounds(): Omit<NamedBounds, 'held'> {
    const { limits } = this.#lanes.of('fast');
    const { perEndpointRelaxed: perEndpoint } = limits;
    const waiting = new Map<EndpointId, number>();
    for (const { delivery } of this.#waiting) {
      waiting.set(delivery.endpointId, (waiting.get(delivery.endpointId) ?? 0) + 1);
    }
    const quick = this.#lanes
      .quickEndpoints('fast')
      .filter((id) => (waiting.get(id) ?? 0) < perEndpoint);
    const { excluded, excludedAccounts } = this.busy('fast', 'event');
    return {
      excluded: excluded.filter((id) => !quick.includes(id)),
      excludedFromReplays: this.busy('fast', 'replay').excluded,
      excludedAccounts,
      quick: { endpoints: quick, perEndpoint, replays: shareOfReplays(perEndpoint) },
    };
  }

  /** Keeps room for a claim while it runs. */
  async during<Result>(expected: ExpectedRows, claim: () => Promise<Result>): Promise<Result> {
    this.#expected.add(expected);
    try {
      return await claim();
    } finally {
      this.#expected.delete(expected);
    }
  }

  /** @param clocks monotonic time, and unix time of the database, which decides what is due */
  add(
    rows: readonly ClaimedDelivery[],
    claimedAtMs: number,
    { nowMs, databaseMs }: { readonly nowMs: number; readonly databaseMs: number },
  ): void {
    for (const delivery of rows) {
      const aheadMs = Math.max(0, delivery.dueAt.getTime() - databaseMs);
      this.#waiting.push({ delivery, claimedAtMs, notBeforeMs: nowMs + aheadMs });
    }
  }

  /**
   * Offers the rows of one origin that are due, in the order of claims.
   * @param take whether it takes the row; it must not change what waits
   */
  offer(
    origin: ClaimedDelivery['origin'],
    nowMs: number,
    take: (row: WaitingRow) => boolean,
  ): void {
    if (this.#waiting.length === 0) return;
    this.#waiting = this.#waiting.filter(
      (row) => row.delivery.origin !== origin || row.notBeforeMs > nowMs || !take(row),
    );
  }

  /** Takes all waiting rows out. */
  takeAll(): readonly ClaimedDelivery[] {
    const all = this.#waiting.map(({ delivery }) => delivery);
    this.#waiting = [];
    return all;
  }
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
