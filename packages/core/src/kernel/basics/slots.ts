/** Limits how many callers do something at once, in order of arrival. */
export class Slots {
  readonly #waiting = new Set<() => void>();
  #free: number;
  readonly #limits: { readonly waitMs: number; readonly queue: number };

  /**
   * @param count how many at once, 1 or more
   * @param limits how long a caller waits for its turn, and how many may wait
   */
  constructor(count: number, limits: { readonly waitMs: number; readonly queue: number }) {
    this.#free = count;
    this.#limits = limits;
  }

  /** @returns the result of `work`, or `full` if its turn did not come in time */
  async use<Result>(work: () => Promise<Result>): Promise<{ result: Result } | 'full'> {
    if (this.#free > 0) this.#free -= 1;
    else if (!(await this.#turn())) return 'full';
    try {
      return { result: await work() };
    } finally {
      this.#pass();
    }
  }

  /** The oldest waiter takes over the slot, which is never free in between. */
  #pass(): void {
    const [next] = this.#waiting;
    if (next) next();
    else this.#free += 1;
  }

  #turn(): Promise<boolean> {
    if (this.#waiting.size >= this.#limits.queue) return Promise.resolve(false);
    return new Promise((resolve) => {
      const taken = (): void => settle(true);
      const timer = setTimeout(() => settle(false), this.#limits.waitMs);
      const settle = (isTurn: boolean): void => {
        clearTimeout(timer);
        this.#waiting.delete(taken);
        resolve(isTurn);
      };
      this.#waiting.add(taken);
    });
  }
}
