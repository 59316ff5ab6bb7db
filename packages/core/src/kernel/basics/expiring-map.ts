import type { Clock } from './clock.ts';

/**
 * A map whose values expire after a fixed time. A timer removes expired values; it does not keep
 * the process alive.
 */
export class ExpiringMap<Key, Value> {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #lifeMs: number;
  readonly #max: number;
  /** In the order of insertion, which is nearly the order of age. */
  readonly #kept = new Map<Key, { readonly value: Value; readonly sinceMs: number }>();
  #timer: NodeJS.Timeout | undefined;

  /** @param max maximum number of values; the oldest is removed to make room */
  constructor(options: {
    readonly clock: Pick<Clock, 'monotonicMs'>;
    readonly lifeMs: number;
    readonly max: number;
  }) {
    this.#clock = options.clock;
    this.#lifeMs = options.lifeMs;
    this.#max = options.max;
  }

  get(key: Key): Value | undefined {
    const kept = this.#kept.get(key);
    return kept !== undefined && this.#leftMs(kept.sinceMs) > 0 ? kept.value : undefined;
  }

  /** @param sinceMs when the value was requested, by the clock's `monotonicMs` */
  set(key: Key, value: Value, sinceMs: number): void {
    this.#kept.delete(key);
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size >= this.#max) this.#kept.delete(oldest);
    this.#kept.set(key, { value, sinceMs });
    this.#arm();
  }

  #leftMs(sinceMs: number): number {
    return this.#lifeMs - (this.#clock.monotonicMs() - sinceMs);
  }

  /** Sets the timer for the value that was inserted first. */
  #arm(): void {
    const [oldest] = this.#kept.values();
    if (this.#timer !== undefined || oldest === undefined) return;
    const nextMs = this.#leftMs(oldest.sinceMs);
    this.#timer = setTimeout(() => this.#ring(), Math.max(1, Math.ceil(nextMs)));
    this.#timer.unref();
  }

  #ring(): void {
    this.#timer = undefined;
    for (const [key, { sinceMs }] of this.#kept) {
      if (this.#leftMs(sinceMs) > 0) break;
      this.#kept.delete(key);
    }
    this.#arm();
  }
}
