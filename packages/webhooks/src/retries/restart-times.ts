/** If Redis responds although deliveries are this much overdue, the retry listener may hang. */
const STUCK_MS = 15_000;
const [FIRST_WAIT_MS, MAX_WAIT_MS] = [30_000, 30 * 60_000] as const;

/**
 * When a retry listener is restarted. Deliveries are also overdue while there are too few workers, and a
 * restart does not help then: so each wait is twice the one before, until nothing is overdue any more.
 */
export class RestartTimes {
  #waitMs: number = FIRST_WAIT_MS;
  #notBeforeMs = Number.NEGATIVE_INFINITY;

  /**
   * @param overdueMs how late the most overdue delivery is
   * @param nowMs monotonic
   * @returns whether to restart now
   */
  isTime(overdueMs: number, nowMs: number): boolean {
    if (overdueMs < STUCK_MS) {
      this.#waitMs = FIRST_WAIT_MS;
      this.#notBeforeMs = Number.NEGATIVE_INFINITY;
      return false;
    }
    if (nowMs < this.#notBeforeMs) return false;
    this.#notBeforeMs = nowMs + this.#waitMs;
    this.#waitMs = Math.min(2 * this.#waitMs, MAX_WAIT_MS);
    return true;
  }
}
