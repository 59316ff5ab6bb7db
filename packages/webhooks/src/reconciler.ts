import type { ClaimedDelivery, Clock, DeliveryStore, Logger, Queue } from '@paymount/core';
import type { Sender } from './sender.ts';
import { toError } from './to-error.ts';
import type { Upkeep } from './upkeep.ts';

// Half of the slots, so that a claim that runs leaves room for first attempts.
const MAX_CLAIMED_AT_ONCE = 128;
const POLL_MS = 1_000;
/** Without an alarm clock, while there is work. */
const BUSY_POLL_MS = 250;
const POLL_SPREAD = 0.2;
/** After a slot is free again: others end in the same moment, and share one claim. */
const FREED_MS = 3;
/** What the alarm clock rings for is left to it for this long. */
const QUEUE_GRACE_MS = 1_000;
const QUEUE_DOWN_AFTER_MS = 5_000;

export interface ReconcilerPorts {
  readonly store: DeliveryStore;
  readonly sender: Sender;
  readonly queue: Queue | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Done before each poll. */
  readonly upkeep: Upkeep;
  /** False leaves only the upkeep: to show that the other paths alone lose events. */
  readonly claims: boolean;
}

/**
 * Claims whatever is overdue and unleased, fair over endpoints: the one path that must work. All
 * others only make it faster.
 */
export class Reconciler {
  readonly #ports: ReconcilerPorts;
  #cursor = '';
  #more = false;
  #queueDownSinceMs: number | undefined;
  #stopped = false;
  #loop: Promise<void> = Promise.resolve();
  #wake: ((afterMs: number) => void) | undefined;

  constructor(ports: ReconcilerPorts) {
    this.#ports = ports;
  }

  start(): void {
    this.#ports.sender.whenFree(() => this.#onFree());
    this.#loop = this.#run();
  }

  /** Waits for the claim that runs, if one does. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wake?.(0);
    await this.#loop;
  }

  /** Claims once. @returns the number of rows */
  async claim(graceMs: number): Promise<number> {
    const from = this.#cursor;
    const rows = await this.#claimAfter(from, graceMs);
    if (rows.length > 0 || from === '') return rows.length;
    return (await this.#claimAfter('', graceMs)).length;
  }

  /** A slot is free: claims at once when the last claim left something behind. */
  #onFree(): void {
    if (this.#more) this.#wake?.(FREED_MS);
  }

  async #claimAfter(cursor: string, graceMs: number): Promise<readonly ClaimedDelivery[]> {
    const { sender, store, clock } = this.#ports;
    const limit = Math.min(sender.room, MAX_CLAIMED_AT_ONCE);
    const excluded = sender.busyEndpoints();
    const rows = await sender.claim(limit, ({ token, lengthMs }, replays) =>
      store.claimDue({
        shiftMs: clock.shiftMs,
        limit,
        replays,
        leaseToken: token,
        leaseMs: lengthMs,
        cursor,
        excluded,
        graceMs,
      }),
    );
    const isFull = limit === 0 || sender.roomForReplays === 0;
    this.#more = rows.length > 0 || excluded.length > 0 || isFull;
    // The claim ends at the last endpoint; a short one has seen them all.
    this.#cursor = rows.length === limit ? lastEndpoint(rows) : '';
    return rows;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) await this.#sleep(await this.#poll());
  }

  /** @returns milliseconds until the next poll */
  async #poll(): Promise<number> {
    const { upkeep, claims, logger } = this.#ports;
    try {
      await upkeep.run();
      if (!claims) return POLL_MS;
      const { alone, graceMs } = this.#queueState();
      const found = await this.claim(graceMs);
      const baseMs = alone && found > 0 ? BUSY_POLL_MS : POLL_MS;
      return baseMs * (1 + POLL_SPREAD * (2 * Math.random() - 1));
    } catch (error) {
      logger.warn({ err: toError(error) }, 'The reconciler could not reach the database.');
      return POLL_MS;
    }
  }

  #queueState(): { readonly alone: boolean; readonly graceMs: number } {
    const { queue, clock } = this.#ports;
    if (queue === undefined) return { alone: true, graceMs: 0 };
    if (queue.healthy()) {
      this.#queueDownSinceMs = undefined;
      return { alone: false, graceMs: QUEUE_GRACE_MS };
    }
    const nowMs = clock.monotonicMs();
    this.#queueDownSinceMs ??= nowMs;
    return { alone: nowMs - this.#queueDownSinceMs >= QUEUE_DOWN_AFTER_MS, graceMs: 0 };
  }

  #sleep(forMs: number): Promise<void> {
    if (this.#stopped) return Promise.resolve();
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout;
      let hurried = false;
      const end = (): void => {
        this.#wake = undefined;
        resolve();
      };
      this.#wake = (afterMs) => {
        if (hurried && afterMs > 0) return;
        hurried = true;
        clearTimeout(timer);
        timer = setTimeout(end, afterMs);
      };
      timer = setTimeout(end, forMs);
    });
  }
}

function lastEndpoint(rows: readonly ClaimedDelivery[]): string {
  const endpoints = rows.map(({ endpointId }) => endpointId);
  return endpoints.toSorted().at(-1) ?? '';
}
