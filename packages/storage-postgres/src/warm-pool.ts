import type pg from 'pg';

/** The wait before dialing again doubles from the first to the last. */
const FIRST_WAIT_MS = 100;
const MAX_WAIT_MS = 5_000;

/** Keeps all connections of a small pool dialed, from `dial()` until `close()`. */
export class WarmPool {
  readonly #pool: pg.Pool;
  #redial: NodeJS.Timeout | undefined;
  #waitMs = FIRST_WAIT_MS;
  #isWarm = false;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
    pool.on('remove', () => this.#dialLater());
  }

  /**
   * One that is lost once it was dialed is dialed again later.
   * @throws what the driver says about the first one that cannot be dialed
   */
  async dial(): Promise<void> {
    this.#isWarm = true;
    if (!(await this.#fill())) this.#dialLater();
  }

  /** Dials no more. */
  close(): void {
    this.#isWarm = false;
    clearTimeout(this.#redial);
  }

  /** @returns whether all of them are still there at the end */
  async #fill(): Promise<boolean> {
    const { max } = this.#pool.options;
    // Asked for at once, so that the pool lends those that it has and dials the others.
    const dialed = Array.from({ length: max }, async () => (await this.#pool.connect()).release());
    const ends = await Promise.allSettled(dialed);
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed) throw failed.reason;
    return this.#pool.totalCount >= max;
  }

  /** One was lost: opens another one for the next caller. */
  #dialLater(): void {
    if (!this.#isWarm || this.#redial !== undefined) return;
    // Processes that lost the same server shall not all dial at once.
    const waitMs = this.#waitMs * (0.5 + Math.random() / 2);
    this.#redial = setTimeout(() => void this.#dialAgain(), waitMs).unref();
    this.#waitMs = Math.min(2 * this.#waitMs, MAX_WAIT_MS);
  }

  async #dialAgain(): Promise<void> {
    const isFull = await this.#fill().catch(() => false);
    this.#redial = undefined;
    if (isFull) this.#waitMs = FIRST_WAIT_MS;
    else this.#dialLater();
  }
}
