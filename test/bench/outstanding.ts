import { eventually } from '../support/eventually.ts';
import { percentile } from '../support/statistics.ts';

/** What a stretch of deliveries came to. */
export interface DeliveryRun {
  /** Ended within the stretch. */
  readonly operations: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Ended in all, with those that were still under way at the end of the stretch. */
  readonly total: number;
}

const DRAIN_LIMIT_MS = 60_000;

interface UnderWay {
  readonly startedAtMs: number;
  left: number;
}

/**
 * A closed loop: keeps about `limit` deliveries under way, from being handed in to being done, for
 * a stretch of time, then lets the rest end.
 */
export class Outstanding {
  readonly #limit: number;
  readonly #underWay = new Map<string, UnderWay>();
  #count = 0;
  #latencies: number[] = [];
  #waiting: (() => void)[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Deliveries of an event are under way. */
  begin(event: string, deliveries: number): void {
    this.#underWay.set(event, { startedAtMs: performance.now(), left: deliveries });
    this.#count += deliveries;
  }

  /** One of them is done; unknown events are ignored. */
  end(event: string): void {
    const underWay = this.#underWay.get(event);
    if (underWay === undefined) return;
    underWay.left -= 1;
    if (underWay.left === 0) this.#underWay.delete(event);
    this.#count -= 1;
    this.#latencies.push(performance.now() - underWay.startedAtMs);
    if (this.#count < this.#limit) this.#waiting.shift()?.();
  }

  /**
   * @param hands how many times `start` may run at once
   * @param start hands one event in, calling `begin`
   */
  async run(seconds: number, hands: number, start: () => Promise<void>): Promise<DeliveryRun> {
    this.#latencies = [];
    const startedMs = performance.now();
    const endMs = startedMs + seconds * 1000;
    const hand = async (): Promise<void> => {
      while (performance.now() < endMs) {
        if (this.#count < this.#limit) await start();
        else await new Promise<void>((resolve) => this.#waiting.push(resolve));
      }
    };
    const work = Promise.all(Array.from({ length: hands }, hand));
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    const within = this.#latencies.length;
    const elapsedSeconds = (performance.now() - startedMs) / 1000;
    for (const wake of this.#waiting.splice(0)) wake();
    await work;
    await this.#drained();
    return {
      operations: within,
      seconds: elapsedSeconds,
      p50Ms: percentile(this.#latencies, 0.5),
      p99Ms: percentile(this.#latencies, 0.99),
      total: this.#latencies.length,
    };
  }

  async #drained(): Promise<void> {
    await eventually(
      () => this.#count,
      (count) => count === 0,
      DRAIN_LIMIT_MS,
    );
  }
}
