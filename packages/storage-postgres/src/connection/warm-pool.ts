import type pg from 'pg';

/** The wait before a reconnect doubles from the first value to the last. */
const FIRST_WAIT_MS = 100;
const MAX_WAIT_MS = 5_000;

/** Keeps all connections of a small pool open, from `dial()` until `close()`. */
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
   * Opens all connections; lost ones are reopened later. @throws the driver's error of the first
   * connection that fails
   */
  async dial(): Promise<void> {
    this.#isWarm = true;
    if (!(await this.#fill())) this.#dialLater();
  }

  /** Opens no more connections. */
  close(): void {
    this.#isWarm = false;
    clearTimeout(this.#redial);
  }

  /** @returns whether all of them are still open at the end */
  async #fill(): Promise<boolean> {
    const { max } = this.#pool.options;
    // Acquires all at once, so that the pool returns the open ones and opens the others.
    const dialed = Array.from({ length: max }, async () => (await this.#pool.connect()).release());
    const ends = await Promise.allSettled(dialed);
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed) throw failed.reason;
    return this.#pool.totalCount >= max;
  }

  /** After a connection was lost, opens a new one for the next caller. */
  #dialLater(): void {
    if (!this.#isWarm || this.#redial !== undefined) return;
    // Processes that lost the same server must not all reconnect at the same moment.
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
