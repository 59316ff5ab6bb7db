import { randomUUID } from 'node:crypto';
import type {
  ClaimedDelivery,
  DeliveryQueue,
  EndpointLane,
  Lease,
  NewDelivery,
} from '@paymount/core/events';
import type { EndpointId } from '@paymount/core/kernel';
import type { AttemptPorts } from '../attempts/attempt.ts';
import { type AttemptInSlotPorts, attemptInSlot } from '../attempts/attempt-in-slot.ts';
import { BackgroundWrites } from '../attempts/background-writes.ts';
import type { CloseBatch } from '../attempts/close-batch.ts';
import { LEASE_MS, type LeasedRow, lastStartMs } from '../attempts/lease.ts';
import type { Lanes, Slot } from '../lanes/lanes.ts';
import { OriginCache } from '../lanes/origin-cache.ts';
import type { BusyParties, ExpectedRows, NamedBounds } from './claimed-rows.ts';
import { type Reservation, type ReservedRow, WaitingRows } from './waiting-rows.ts';

export interface SenderPorts extends AttemptPorts {
  readonly deliveries: DeliveryQueue;
  readonly lanes: Lanes;
  readonly batch: CloseBatch;
}

/** What a free slot was used for. */
export interface FreedSlot {
  readonly lane: EndpointLane;
  readonly origin: ClaimedDelivery['origin'];
}

/**
 * Makes the attempts of leased rows, as slots allow. A row is in one of three states: waiting
 * (without a slot or not yet due), running (signed, sent, decided), or gone: its result is
 * in the batch that closes it, or the row was released. If this process loses a row, the lease
 * expires and another claim finds it.
 */
export class Sender {
  readonly #ports: SenderPorts;
  readonly #origins = new OriginCache();
  readonly #backgroundWrites: BackgroundWrites;
  readonly #attemptPorts: AttemptInSlotPorts;
  readonly #waiting: WaitingRows;
  #running = 0;
  #closing = false;
  #timer: NodeJS.Timeout | undefined;
  #timerAtMs = Number.POSITIVE_INFINITY;
  #onFree: (freed: FreedSlot) => void = () => undefined;
  #onResume: () => void = () => undefined;
  readonly #idle = new Set<() => void>();

  constructor(ports: SenderPorts) {
    this.#ports = ports;
    this.#waiting = new WaitingRows(ports.lanes);
    this.#backgroundWrites = new BackgroundWrites({ ...ports, onEnd: () => this.#settle() });
    this.#attemptPorts = { ...ports, backgroundWrites: this.#backgroundWrites };
    ports.batch.whenCaughtUp(() => {
      this.#pump();
      this.#onResume();
    });
  }

  /** How many more rows of a lane may be claimed. */
  room(lane: EndpointLane): number {
    if (!this.#mayTakeMore) return 0;
    return this.#waiting.claimed.room(lane, this.#ports.clock.monotonicMs());
  }

  /** How many of them may be replays. */
  roomForReplays(lane: EndpointLane): number {
    if (this.room(lane) === 0) return 0;
    return this.#waiting.claimed.roomForReplays(lane, this.#ports.clock.monotonicMs());
  }

  /** Attempts that run now, by lane. */
  get inFlight(): Readonly<Record<EndpointLane, number>> {
    const { lanes } = this.#ports;
    return { fast: lanes.of('fast').running, slow: lanes.of('slow').running };
  }

  get isIdle(): boolean {
    return this.#running + this.#backgroundWrites.running === 0 && this.#waiting.isEmpty;
  }

  /** Called each time a slot becomes free. */
  whenFree(listener: (freed: FreedSlot) => void): void {
    this.#onFree = listener;
  }

  /** Called when sending continues because results can be recorded again. */
  whenResumed(listener: () => void): void {
    this.#onResume = listener;
  }

  /** Endpoints and accounts of which no more such rows should be claimed. */
  busy(lane: EndpointLane, origin: ClaimedDelivery['origin']): BusyParties {
    return this.#waiting.claimed.busy(lane, origin);
  }

  /**
   * Endpoints of which nothing may be claimed, because their results wait for a lock. A free slot changes
   * nothing about that; `whenResumed` tells when one is sent to again.
   */
  get held(): readonly EndpointId[] {
    return this.#ports.batch.heldEndpoints;
  }

  /** Which named rows should be claimed. */
  get namedBounds(): NamedBounds {
    return { ...this.#waiting.claimed.namedBounds, held: this.held };
  }

  /** Waits until nothing is claimed, waiting or running. */
  async idle(): Promise<void> {
    this.#pump();
    while (!this.isIdle) await new Promise<void>((resolve) => this.#idle.add(resolve));
    await this.#ports.batch.flush();
  }

  /** Takes a slot for a row that will be inserted leased, or a place to wait for one. */
  reserve(delivery: NewDelivery): Reservation | undefined {
    const { endpointId, lane } = delivery;
    if (!this.#mayTakeMore || this.#ports.batch.isHeld(endpointId)) return undefined;
    const { claimed, held } = this.#waiting;
    const reservedAtMs = this.#ports.clock.monotonicMs();
    const isFirst = !held.has(endpointId) && claimed.room(lane, reservedAtMs) > 0;
    const slot = isFirst ? this.#slotFor({ ...delivery, origin: 'event' }) : undefined;
    if (slot === undefined && !this.#waiting.hold(delivery, reservedAtMs)) return undefined;
    return { slot, endpointId, reservedAtMs };
  }

  /** Their rows were committed: makes the attempts. */
  startReserved(rows: readonly ReservedRow[]): void {
    for (const { delivery, reservation } of rows) {
      const { slot, reservedAtMs: claimedAtMs } = reservation;
      if (slot === undefined) this.#waiting.held.add({ delivery, claimedAtMs });
      else this.#start(delivery, slot, claimedAtMs);
    }
    if (!this.#waiting.held.isEmpty) this.#pump();
  }

  /**
   * Claims rows and makes their attempts.
   * @param expected at most `room`, and of replays at most `roomForReplays`; kept free meanwhile
   * @returns the rows; none while closing
   */
  async claim(
    expected: ExpectedRows,
    work: (lease: Lease) => Promise<readonly ClaimedDelivery[]>,
  ): Promise<readonly ClaimedDelivery[]> {
    if (this.room(expected.lane) === 0 || expected.limit === 0) return [];
    // Before the statement, so that the lease here never ends after the one in the database.
    const claimedAtMs = this.#ports.clock.monotonicMs();
    try {
      return await this.#waiting.claimed.during(expected, async () => {
        const rows = await work({ token: randomUUID(), lengthMs: LEASE_MS });
        this.#ports.crashPoint('claim.after_commit');
        this.#backgroundWrites.recordAbandoned(rows);
        this.#accept(rows, claimedAtMs);
        return rows;
      });
    } finally {
      this.#settle();
    }
  }

  /** Their rows were not committed. */
  leave(reservations: readonly Reservation[]): void {
    for (const { slot, endpointId, reservedAtMs } of reservations) {
      if (slot === undefined) this.#waiting.held.leave(endpointId, reservedAtMs);
      else this.#ports.lanes.leave(slot);
    }
    this.#pump();
  }

  /** Starts nothing more and releases waiting rows. Running attempts continue: await `idle()`. */
  stop(): void {
    this.#closing = true;
    this.#ports.crashPoint('shutdown.before_release');
    this.#pump();
  }

  #accept(rows: readonly ClaimedDelivery[], claimedAtMs: number): void {
    const { clock, databaseClock } = this.#ports;
    const clocks = { nowMs: clock.monotonicMs(), databaseMs: databaseClock.nowMs() };
    this.#waiting.claimed.add(rows, claimedAtMs, clocks);
    this.#pump();
  }

  /** Starts the rows that may start, and releases those that have waited too long. */
  #pump(): void {
    const nowMs = this.#ports.clock.monotonicMs();
    const maySend = this.#maySend;
    const { ready, stale } = this.#closing
      ? { ready: [], stale: this.#waiting.takeAll(nowMs) }
      : this.#waiting.takeReady(nowMs, (row) => (maySend ? this.#slotFor(row) : undefined));
    for (const { delivery, slot, claimedAtMs } of ready) this.#start(delivery, slot, claimedAtMs);
    this.#backgroundWrites.release(stale);
    this.#arm(nowMs);
  }

  /** Makes the attempt of a row with a slot, or releases the row if its lease is too old. */
  #start(delivery: ClaimedDelivery, slot: Slot, claimedAtMs: number): void {
    if (!this.#maySend || this.#ports.clock.monotonicMs() > lastStartMs(claimedAtMs)) {
      this.#ports.lanes.leave(slot);
      this.#backgroundWrites.release([delivery]);
      return;
    }
    this.#running += 1;
    void this.#run({ delivery, claimedAtMs }, slot).finally(() => {
      this.#running -= 1;
      this.#useFreed({ lane: slot.lane, origin: delivery.origin });
      this.#settle();
    });
  }

  /** False while results cannot be recorded: what is sent then would be sent again. */
  get #maySend(): boolean {
    return !this.#closing && this.#ports.batch.keepsUp;
  }

  get #mayTakeMore(): boolean {
    return this.#maySend && this.#ports.databaseClock.trusted;
  }

  #slotFor(row: NewDelivery & Pick<ClaimedDelivery, 'origin'>): Slot | undefined {
    const { endpointId, accountId, lane, url } = row;
    const isReplay = row.origin === 'replay';
    const { lanes, batch } = this.#ports;
    if (batch.isHeld(endpointId) || lanes.isEndpointFull(endpointId, isReplay)) return undefined;
    const origin = this.#origins.of(url);
    return lanes.enter({ endpointId, accountId, lane, isReplay, origin });
  }

  /** A timer that fires too early does no harm, so it is replaced only by an earlier one. */
  #arm(nowMs: number): void {
    const nextAtMs = this.#waiting.nextAtMs(nowMs);
    if (nextAtMs >= this.#timerAtMs && nextAtMs !== Number.POSITIVE_INFINITY) return;
    clearTimeout(this.#timer);
    this.#timerAtMs = nextAtMs;
    if (nextAtMs === Number.POSITIVE_INFINITY) return;
    const delayMs = Math.max(1, Math.ceil(nextAtMs - nowMs) + 1);
    this.#timer = setTimeout(() => {
      this.#timerAtMs = Number.POSITIVE_INFINITY;
      this.#pump();
    }, delayMs);
  }

  async #run(row: LeasedRow, slot: Slot): Promise<void> {
    const { origin } = row.delivery;
    const onFreed = (lane: EndpointLane): void => this.#useFreed({ lane, origin });
    const ended = await attemptInSlot(row, slot, this.#attemptPorts, onFreed);
    if (ended !== undefined) this.#ports.batch.add(ended, this.#running === 1);
  }

  #useFreed(freed: FreedSlot): void {
    this.#pump();
    this.#onFree(freed);
  }

  #settle(): void {
    if (!this.isIdle) return;
    for (const resolve of this.#idle) resolve();
    this.#idle.clear();
  }
}
