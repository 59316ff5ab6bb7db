import type { ClaimedDelivery, DeliveryQueue, EndpointLane } from '@paymount/core/events';
import type { Clock, Telemetry } from '@paymount/core/kernel';
import type { Sender } from './sender.ts';

// Half of the slots, so that a running claim leaves room for first attempts.
const MAX_CLAIMED_AT_ONCE = 128;
/** While claims find nothing, and storage looks at some endpoints at a time. */
const MAX_CLAIMS = 8;

export interface SweepPorts {
  readonly deliveries: DeliveryQueue;
  readonly sender: Sender;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

/** The rows that a sweep claims. */
export interface SweptRows {
  readonly lane: EndpointLane;
  readonly origin: ClaimedDelivery['origin'];
  /** Only endpoints that had accepted an event before they became slow. */
  readonly wasQuick?: true;
}

/** Claims what is overdue of one lane and origin, from endpoint to endpoint, round and round. */
export class Sweep {
  readonly #ports: SweepPorts;
  readonly #of: SweptRows;
  #cursor = '';
  /** Since the first endpoint, each claim took fewer rows than it could. */
  #isShort = false;
  #isFinished = false;
  #hasLeft = false;

  constructor(of: SweptRows, ports: SweepPorts) {
    this.#of = of;
    this.#ports = ports;
  }

  /** How many rows the next claim may take. */
  get room(): number {
    const { sender } = this.#ports;
    const { lane, origin } = this.#of;
    const room = origin === 'replay' ? sender.roomForReplays(lane) : sender.room(lane);
    return Math.min(room, MAX_CLAIMED_AT_ONCE);
  }

  /** Whether the last round took all rows, except those of endpoints without a free slot. */
  get isThrough(): boolean {
    return this.#isFinished;
  }

  /** Whether the last claim may have left rows that a free slot could take. */
  get hasLeft(): boolean {
    return this.#hasLeft;
  }

  /** A claim by id left such rows. */
  left(): void {
    this.#hasLeft = true;
  }

  /**
   * Claims from where the last claim ended, until it finds some rows or has seen every endpoint.
   * @param graceMs only rows that are overdue by this much
   * @returns how many rows
   */
  async next(graceMs: number): Promise<number> {
    for (let claims = 0; claims < MAX_CLAIMS; claims += 1) {
      const count = await this.#claim(graceMs);
      if (count > 0 || this.#isFinished || this.room === 0) return count;
    }
    return 0;
  }

  async #claim(graceMs: number): Promise<number> {
    const { sender, deliveries, clock, telemetry } = this.#ports;
    const { lane, origin, wasQuick = false } = this.#of;
    const cursor = this.#cursor;
    const limit = this.room;
    const { excluded, excludedAccounts } = sender.busy(lane, origin);
    // Replays at a busy endpoint can wait for the next poll, or for the next free slot there.
    const isKeptOut = excluded.length + excludedAccounts.length > 0;
    this.#hasLeft = limit === 0 || (origin === 'event' && isKeptOut);
    this.#isFinished = false;
    if (limit === 0) return 0;
    const replays = origin === 'replay' ? limit : 0;
    let next: string | undefined;
    const rows = await sender.claim({ lane, limit, replays }, async ({ token, lengthMs }) => {
      const claimed = await deliveries.claimDue({
        shiftMs: clock.shiftMs,
        lane,
        origin,
        limit,
        leaseToken: token,
        leaseMs: lengthMs,
        cursor,
        excluded: [...excluded, ...sender.held],
        excludedAccounts,
        graceMs,
        wasQuick,
      });
      next = claimed.next;
      return claimed.deliveries;
    });
    if (rows.length > 0)
      telemetry.count('paymount_reconciler_claimed_total', { origin }, rows.length);
    this.#isShort = rows.length < limit && (cursor === '' || this.#isShort);
    this.#isFinished = this.#isShort && next === undefined;
    this.#cursor = next ?? '';
    this.#hasLeft ||= rows.length > 0 || next !== undefined;
    return rows.length;
  }
}
