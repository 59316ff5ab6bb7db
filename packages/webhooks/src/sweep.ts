import type { ClaimedDelivery, DeliveryQueue } from '@paymount/core/events';
import type { Clock, Telemetry } from '@paymount/core/kernel';
import type { Sender } from './sender.ts';

// Half of the slots, so that a running claim leaves room for first attempts.
const MAX_CLAIMED_AT_ONCE = 128;

export interface SweepPorts {
  readonly deliveries: DeliveryQueue;
  readonly sender: Sender;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

/** Claims what is overdue of one origin, from endpoint to endpoint, round and round. */
export class Sweep {
  readonly #ports: SweepPorts;
  readonly #origin: ClaimedDelivery['origin'];
  #cursor = '';
  #isFinished = false;
  #hasLeft = false;

  constructor(origin: ClaimedDelivery['origin'], ports: SweepPorts) {
    this.#origin = origin;
    this.#ports = ports;
  }

  /** How many rows the next claim may take. */
  get room(): number {
    const { sender } = this.#ports;
    const room = this.#origin === 'replay' ? sender.roomForReplays : sender.room;
    return Math.min(room, MAX_CLAIMED_AT_ONCE);
  }

  /** Whether the last claim took all rows, except those of endpoints without a free slot. */
  get isThrough(): boolean {
    return this.#isFinished;
  }

  /** Whether the last claim may have left rows that a free slot could take. */
  get hasLeft(): boolean {
    return this.#hasLeft;
  }

  /**
   * Claims once, from where the last claim ended.
   * @param graceMs only rows that are overdue by this much
   * @returns how many rows
   */
  async next(graceMs: number): Promise<number> {
    const from = this.#cursor;
    const count = await this.#claimAfter(from, graceMs);
    if (count > 0 || from === '') return count;
    return this.#claimAfter('', graceMs);
  }

  async #claimAfter(cursor: string, graceMs: number): Promise<number> {
    const { sender, deliveries, clock, telemetry } = this.#ports;
    const limit = this.room;
    const excluded = sender.busyEndpoints(this.#origin);
    // Replays at a busy endpoint can wait for the next poll, or for the next free slot there.
    this.#hasLeft = limit === 0 || (this.#origin === 'event' && excluded.length > 0);
    this.#isFinished = false;
    if (limit === 0) return 0;
    const replays = this.#origin === 'replay' ? limit : 0;
    const rows = await sender.claim({ limit, replays }, ({ token, lengthMs }) =>
      deliveries.claimDue({
        shiftMs: clock.shiftMs,
        origin: this.#origin,
        limit,
        leaseToken: token,
        leaseMs: lengthMs,
        cursor,
        excluded,
        graceMs,
      }),
    );
    if (rows.length > 0)
      telemetry.count('paymount_reconciler_claimed_total', { origin: this.#origin }, rows.length);
    // A claim ends at the last endpoint; if it returned fewer rows than allowed, it has seen all.
    const isShort = rows.length < limit;
    this.#cursor = isShort ? '' : lastEndpoint(rows);
    this.#isFinished = isShort && cursor === '';
    this.#hasLeft ||= rows.length > 0;
    return rows.length;
  }
}

function lastEndpoint(rows: readonly ClaimedDelivery[]): string {
  const endpoints = rows.map(({ endpointId }) => endpointId);
  return endpoints.toSorted().at(-1) ?? '';
}
