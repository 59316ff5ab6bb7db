import type { Clock } from './clock.ts';

/**
 * Gives values for a while and never longer. What nobody asks for again is forgotten by a timer,
 * which does not keep the process alive, together with what was kept before it.
 */
export class ShortLivedMap<Key, Value> {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #lifeMs: number;
  readonly #max: number;
  /** In the order in which they were kept, which is that of age but for the time an answer took. */
  readonly #kept = new Map<Key, { readonly value: Value; readonly sinceMs: number }>();
  #timer: NodeJS.Timeout | undefined;

  /** @param max values at most; the oldest makes room */
  constructor(options: {
    readonly clock: Pick<Clock, 'monotonicMs'>;
    readonly lifeMs: number;
    readonly max: number;
  }) {
    this.#clock = options.clock;
    this.#lifeMs = options.lifeMs;
    this.#max = options.max;
  }

  find(key: Key): Value | undefined {
    const kept = this.#kept.get(key);
    return kept !== undefined && this.#leftMs(kept.sinceMs) > 0 ? kept.value : undefined;
  }

  /** @param sinceMs when the value was asked for, of the clock's `monotonicMs` */
  keep(key: Key, value: Value, sinceMs: number): void {
    this.#kept.delete(key);
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size >= this.#max) this.#kept.delete(oldest);
    this.#kept.set(key, { value, sinceMs });
    this.#arm();
  }

  #leftMs(sinceMs: number): number {
    return this.#lifeMs - (this.#clock.monotonicMs() - sinceMs);
  }

  /** Rings for the value that was kept first. */
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
