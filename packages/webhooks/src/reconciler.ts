import type { DeliveryQueue, RetryQueue } from '@paymount/core/events';
import type { Clock, Logger, Telemetry } from '@paymount/core/kernel';
import { toError } from '@paymount/core/kernel';
import type { DatabaseClock } from './database-clock.ts';
import type { Sender } from './sender.ts';
import { Sweep } from './sweep.ts';

const POLL_MS = 1_000;
/** The interval without a retry queue while there is work. */
const BUSY_POLL_MS = 250;
const POLL_SPREAD = 0.2;
/** How often replays are claimed unless some are known to wait: at each regular poll. */
const REPLAYS_EVERY_MS = POLL_MS * (1 - POLL_SPREAD);
/** The wait after a slot becomes free, so that slots freed at the same moment share one claim. */
const FREED_MS = 3;
/** For this time the reconciler leaves a retry to the retry queue. */
const QUEUE_GRACE_MS = 1_000;
const QUEUE_DOWN_AFTER_MS = 5_000;

export interface ReconcilerPorts {
  readonly deliveries: DeliveryQueue;
  readonly sender: Sender;
  readonly queue: RetryQueue | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly telemetry: Telemetry;
  /** Measured before each poll. */
  readonly databaseClock: DatabaseClock;
  /** False turns the claims off, to show that the other paths alone lose events. */
  readonly claims: boolean;
}

/**
 * Claims all overdue and unleased deliveries, fairly over endpoints: the only path that must work.
 * All others only make deliveries faster. Replays get the slots that fresh events leave free: they
 * are claimed if no fresh delivery is left, and not at each claim while there are none.
 */
export class Reconciler {
  readonly #ports: ReconcilerPorts;
  readonly #fresh: Sweep;
  readonly #replays: Sweep;
  #replaysAskedAtMs = Number.NEGATIVE_INFINITY;
  #hasReplayEnded = false;
  #queueDownSinceMs: number | undefined;
  #stopped = false;
  #polledAtMs = performance.now();
  #loop: Promise<void> = Promise.resolve();
  #wake: ((afterMs: number) => void) | undefined;

  constructor(ports: ReconcilerPorts) {
    this.#ports = ports;
    this.#fresh = new Sweep('event', ports);
    this.#replays = new Sweep('replay', ports);
  }

  start(): void {
    this.#ports.sender.whenFree((origin) => {
      this.#hasReplayEnded ||= origin === 'replay';
      this.#onFree();
    });
    this.#ports.sender.whenResumed(() => this.#wake?.(0));
    this.#loop = this.#run();
  }

  /** How long ago it last began to look for due deliveries, by the machine's own time. */
  get pollAgeMs(): number {
    return performance.now() - this.#polledAtMs;
  }

  /** Waits for the running claim, if any. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wake?.(0);
    await this.#loop;
  }

  /** Claims once, replays too. @returns the number of rows */
  async claim(graceMs: number): Promise<number> {
    const count = await this.#fresh.next(graceMs);
    return count + (await this.#claimReplays(graceMs));
  }

  /** Fresh ones before the cursor come first. */
  async #claimReplays(graceMs: number): Promise<number> {
    const count = this.#fresh.isThrough ? 0 : await this.#fresh.next(graceMs);
    if (!this.#fresh.isThrough) return count;
    this.#replaysAskedAtMs = this.#ports.clock.monotonicMs();
    this.#hasReplayEnded = false;
    return count + (await this.#replays.next(graceMs));
  }

  /** A slot is free: claims at once if the last claim left some rows. */
  #onFree(): void {
    const mayReplay = this.#knowsOfReplays && this.#replays.room > 0;
    if (this.#fresh.hasLeft || mayReplay) this.#wake?.(FREED_MS);
  }

  get #knowsOfReplays(): boolean {
    return this.#replays.hasLeft || this.#hasReplayEnded;
  }

  async #claimWhatMayWait(graceMs: number): Promise<number> {
    const agoMs = this.#ports.clock.monotonicMs() - this.#replaysAskedAtMs;
    const isTime = this.#knowsOfReplays || agoMs >= REPLAYS_EVERY_MS;
    return isTime ? this.claim(graceMs) : this.#fresh.next(graceMs);
  }

  async #run(): Promise<void> {
    while (!this.#stopped) await this.#sleep(await this.#poll());
  }

  /** @returns milliseconds until the next poll */
  async #poll(): Promise<number> {
    const { databaseClock, claims, logger } = this.#ports;
    this.#polledAtMs = performance.now();
    try {
      await databaseClock.measure();
      if (!claims) return POLL_MS;
      const { alone, graceMs } = this.#queueState();
      const found = await this.#claimWhatMayWait(graceMs);
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
