import { randomUUID } from 'node:crypto';
import type { ClaimedDelivery, DeliveryQueue, Lease } from '@paymount/core/events';
import { type EndpointId, toError } from '@paymount/core/kernel';
import type { AttemptPorts } from './attempt.ts';
import { BackgroundWrites } from './background-writes.ts';
import type { CloseBatch } from './close-batch.ts';
import type { Lane, Slot } from './lanes.ts';
import { makeAttempt } from './make-attempt.ts';
import { OriginCache } from './origin-cache.ts';
import { freshFirst, type Waiting } from './waiting.ts';

/** 20 s for the send and 5 s to record it. */
export const LEASE_MS = 25_000;
/** A send starts only with this much of its lease left; otherwise the row is released. */
const MIN_LEASE_LEFT_MS = 22_000;

export interface SenderPorts extends AttemptPorts {
  readonly deliveries: DeliveryQueue;
  readonly lane: Lane;
  readonly batch: CloseBatch;
}

/**
 * Makes the attempts of claimed rows, as slots allow. A row is in one of three states: waiting
 * (claimed, without a slot or not yet due), running (signed, sent, decided), or gone: its result is
 * in the batch that closes it, or the row was released. If this process loses a row, the lease
 * expires and another claim finds it.
 */
export class Sender {
  readonly #ports: SenderPorts;
  readonly #origins = new OriginCache();
  readonly #backgroundWrites: BackgroundWrites;
  #waiting: Waiting[] = [];
  #running = 0;
  #claiming = 0;
  #claimingReplays = 0;
  #closing = false;
  #timer: NodeJS.Timeout | undefined;
  #onFree: (origin: ClaimedDelivery['origin']) => void = () => undefined;
  #onResume: () => void = () => undefined;
  readonly #idle = new Set<() => void>();

  constructor(ports: SenderPorts) {
    this.#ports = ports;
    this.#backgroundWrites = new BackgroundWrites({ ...ports, onEnd: () => this.#settle() });
    ports.batch.whenCaughtUp(() => {
      this.#pump();
      this.#onResume();
    });
  }

  /** How many more rows may be claimed. */
  get room(): number {
    if (!this.#maySend || !this.#ports.databaseClock.trusted) return 0;
    return Math.max(0, this.#ports.lane.free - this.#waiting.length - this.#claiming);
  }

  /** How many of them may be replays. */
  get roomForReplays(): number {
    const waiting = this.#waiting.filter(({ delivery }) => delivery.origin === 'replay');
    const free = this.#ports.lane.freeForReplays - waiting.length - this.#claimingReplays;
    return Math.max(0, Math.min(this.room, free));
  }

  /** Attempts that run now, by lane. */
  get inFlight(): Readonly<Record<'fast', number>> {
    return { fast: this.#running };
  }

  get isIdle(): boolean {
    return (
      this.#running + this.#claiming + this.#backgroundWrites.running + this.#waiting.length === 0
    );
  }

  /** Called each time a slot becomes free, with its previous use. */
  whenFree(listener: (origin: ClaimedDelivery['origin']) => void): void {
    this.#onFree = listener;
  }

  /** Called when sending continues because results can be recorded again. */
  whenResumed(listener: () => void): void {
    this.#onResume = listener;
  }

  /** Endpoints of which no more such rows should be claimed. Replays do not block fresh events. */
  busyEndpoints(origin: ClaimedDelivery['origin']): EndpointId[] {
    const waiting = this.#waiting.filter(
      ({ delivery }) => origin === 'replay' || delivery.origin === 'event',
    );
    const ids = waiting.map(({ delivery }) => delivery.endpointId);
    return [...new Set([...this.#ports.lane.atLimit(origin), ...ids])];
  }

  /** Waits until nothing is claimed, waiting or running. */
  async idle(): Promise<void> {
    this.#pump();
    while (!this.isIdle) await new Promise<void>((resolve) => this.#idle.add(resolve));
    await this.#ports.batch.flush();
  }

  /** Takes a slot for a row that will be inserted leased. */
  enter(endpointId: EndpointId, url: string): Slot | undefined {
    if (this.room === 0) return undefined;
    return this.#ports.lane.enter(endpointId, this.#origins.of(url));
  }

  /**
   * Claims rows and makes their attempts.
   * @param limit at most `room`; kept free meanwhile
   * @param replays how many of them may be replays: at most `roomForReplays`
   * @returns the rows; none while closing
   */
  async claim(
    { limit, replays }: { readonly limit: number; readonly replays: number },
    work: (lease: Lease) => Promise<readonly ClaimedDelivery[]>,
  ): Promise<readonly ClaimedDelivery[]> {
    if (this.room === 0 || limit === 0) return [];
    // Before the statement, so that the lease here never ends after the one in the database.
    const claimedAtMs = this.#ports.clock.monotonicMs();
    this.#claiming += limit;
    this.#claimingReplays += replays;
    try {
      const rows = await work({ token: randomUUID(), lengthMs: LEASE_MS });
      this.#ports.crashPoint('claim.after_commit');
      this.#backgroundWrites.recordAbandoned(rows);
      this.#accept(rows, claimedAtMs);
      return rows;
    } finally {
      this.#claiming -= limit;
      this.#claimingReplays -= replays;
      this.#settle();
    }
  }

  /** Makes the attempt of a row with a slot, or releases the row if its lease is too old. */
  start(delivery: ClaimedDelivery, slot: Slot, claimedAtMs: number): void {
    if (!this.#maySend || this.#isStale(claimedAtMs)) {
      this.leave(slot);
      this.#backgroundWrites.release([delivery]);
      return;
    }
    this.#running += 1;
    void this.#run(delivery, slot).finally(() => {
      this.#running -= 1;
      this.#pump();
      this.#onFree(delivery.origin);
      this.#settle();
    });
  }

  /** Releases an unused slot. */
  leave(slot: Slot): void {
    this.#ports.lane.leave(slot);
    this.#pump();
  }

  /** Starts nothing more and releases waiting rows. Running attempts continue: await `idle()`. */
  stop(): void {
    this.#closing = true;
    this.#ports.crashPoint('shutdown.before_release');
    this.#backgroundWrites.release(this.#waiting.splice(0).map(({ delivery }) => delivery));
    clearTimeout(this.#timer);
  }

  #accept(rows: readonly ClaimedDelivery[], claimedAtMs: number): void {
    if (this.#closing) {
      this.#backgroundWrites.release(rows);
      return;
    }
    const { clock, databaseClock } = this.#ports;
    const nowMs = clock.monotonicMs();
    for (const delivery of rows) {
      const aheadMs = Math.max(0, delivery.dueAt.getTime() - databaseClock.nowMs());
      this.#waiting.push({ delivery, claimedAtMs, notBeforeMs: nowMs + aheadMs });
    }
    this.#pump();
  }

  /**
   * Starts the rows that may start, releases those that have waited too long, and keeps the rest.
   */
  #pump(): void {
    if (this.#waiting.length === 0) return;
    const nowMs = this.#ports.clock.monotonicMs();
    const stale: ClaimedDelivery[] = [];
    const kept: Waiting[] = [];
    for (const waiting of freshFirst(this.#waiting.splice(0))) {
      const { delivery, claimedAtMs, notBeforeMs } = waiting;
      if (this.#isStale(claimedAtMs)) {
        stale.push(delivery);
        continue;
      }
      const slot = notBeforeMs > nowMs ? undefined : this.#slotFor(delivery);
      if (slot === undefined) kept.push(waiting);
      else this.start(delivery, slot, claimedAtMs);
    }
    this.#waiting.push(...kept);
    this.#backgroundWrites.release(stale);
    this.#arm(nowMs);
  }

  /** False while results cannot be recorded: what is sent then would be sent again. */
  get #maySend(): boolean {
    return !this.#closing && this.#ports.batch.keepsUp;
  }

  #slotFor({ endpointId, url, origin }: ClaimedDelivery): Slot | undefined {
    if (!this.#maySend) return undefined;
    return this.#ports.lane.enter(endpointId, this.#origins.of(url), origin === 'replay');
  }

  #arm(nowMs: number): void {
    clearTimeout(this.#timer);
    if (this.#waiting.length === 0) return;
    const nextMs = this.#waiting.map(({ claimedAtMs, notBeforeMs }) =>
      notBeforeMs > nowMs ? notBeforeMs : claimedAtMs + LEASE_MS - MIN_LEASE_LEFT_MS,
    );
    const delayMs = Math.max(1, Math.ceil(Math.min(...nextMs) - nowMs) + 1);
    this.#timer = setTimeout(() => this.#pump(), delayMs);
  }

  async #run(delivery: ClaimedDelivery, slot: Slot): Promise<void> {
    const { lane, batch, logger } = this.#ports;
    try {
      const ended = await makeAttempt(delivery, this.#ports);
      lane.leave(slot, ended && ended.verdict.next === 'succeeded');
      if (ended !== undefined) batch.add(ended, this.#running === 1);
    } catch (error) {
      lane.leave(slot);
      const facts = { delivery: delivery.id, attempt: delivery.attempt, err: toError(error) };
      logger.error(facts, 'A delivery attempt was interrupted; its lease will expire.');
    }
  }

  #isStale(claimedAtMs: number): boolean {
    const leftMs = LEASE_MS - (this.#ports.clock.monotonicMs() - claimedAtMs);
    return leftMs < MIN_LEASE_LEFT_MS;
  }

  #settle(): void {
    if (!this.isIdle) return;
    for (const resolve of this.#idle) resolve();
    this.#idle.clear();
  }
}
