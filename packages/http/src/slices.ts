/** How long work may go on before others get their turn, in milliseconds. */
const SLICE_MS = 10;

/** Lets all other work that is ready go first. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Divides long work, so that other requests of the process are answered meanwhile. Call `pause`
 * after each step; a step itself must be short.
 */
export class Slices {
  #startedMs = performance.now();

  /** Lets other work run if this one has run for 10 ms; otherwise it goes on in the same turn. */
  async pause(): Promise<void> {
    if (performance.now() - this.#startedMs < SLICE_MS) return;
    await nextTurn();
    this.#startedMs = performance.now();
  }
}
