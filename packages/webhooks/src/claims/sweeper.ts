import type {
  ClaimedDelivery,
  DeliveryQueue,
  EndpointLane,
  RetryQueue,
} from '@paymount/core/events';
import type { Clock, Logger, Telemetry } from '@paymount/core/kernel';
import { toError } from '@paymount/core/kernel';
import type { DatabaseClock } from '../attempts/database-clock.ts';
import { LaneClaims } from './lane-claims.ts';
import type { Sender } from './sender.ts';

const POLL_MS = 1_000;
/** The interval without a retry queue while there is work. */
const BUSY_POLL_MS = 250;
const POLL_SPREAD = 0.2;
/** The wait after a slot becomes free, so that slots freed at the same moment share one claim. */
const FREED_MS = 3;
/** For this time the sweeper leaves a retry to the retry queue. */
const QUEUE_GRACE_MS = 1_000;
const QUEUE_DOWN_AFTER_MS = 5_000;

export interface SweeperPorts {
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
 * All others only make deliveries faster. Each lane is claimed from by itself, so that what waits for a
 * slot of one takes none of the other.
 */
export class Sweeper {
  readonly #ports: SweeperPorts;
  readonly #lanes: Readonly<Record<EndpointLane, LaneClaims>>;
  #queueDownSinceMs: number | undefined;
  #stopped = false;
  #polledAtMs = performance.now();
  #loop: Promise<void> = Promise.resolve();
  #wake: ((afterMs: number) => void) | undefined;

  constructor(ports: SweeperPorts) {
    this.#ports = ports;
    this.#lanes = { fast: new LaneClaims('fast', ports), slow: new LaneClaims('slow', ports) };
  }

  start(): void {
    const { sender } = this.#ports;
    sender.whenFree(({ lane, origin }) => {
      if (this.#lanes[lane].freed(origin)) this.#wake?.(FREED_MS);
    });
    sender.whenResumed(() => {
      this.#lanes.fast.want();
      this.#lanes.slow.want();
      this.#wake?.(0);
    });
    this.#loop = this.#run();
  }

  /** Claims by id left such rows of the fast lane. */
  left(origins: readonly ClaimedDelivery['origin'][]): void {
    this.#lanes.fast.left(origins);
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

  /** Claims once from both lanes, replays too. @returns the number of rows */
  async claim(graceMs: number): Promise<number> {
    const { fast, slow } = this.#lanes;
    return (await fast.claim(graceMs)) + (await slow.claim(graceMs));
  }

  async #claimWhatIsDue(graceMs: number): Promise<number> {
    let count = 0;
    for (const lane of [this.#lanes.fast, this.#lanes.slow]) {
      if (lane.isDue) count += await lane.claimWhatMayWait(graceMs);
    }
    return count;
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
      const found = await this.#claimWhatIsDue(graceMs);
      // A slot that became free during the claims, when nothing slept that it could wake.
      if (this.#lanes.fast.isWanted || this.#lanes.slow.isWanted) return FREED_MS;
      const baseMs = alone && found > 0 ? BUSY_POLL_MS : POLL_MS;
      return baseMs * (1 + POLL_SPREAD * (2 * Math.random() - 1));
    } catch (error) {
      logger.warn({ err: toError(error) }, 'The sweeper could not reach the database.');
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
