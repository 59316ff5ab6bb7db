/** How long work may run before others get their turn, in milliseconds. */
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

  /** Lets other work run if this one has run for 10 ms; otherwise it continues in the same turn. */
  async pause(): Promise<void> {
    if (performance.now() - this.#startedMs < SLICE_MS) return;
    await nextTurn();
    this.#startedMs = performance.now();
  }
}

/** Converts a few large items, each at least a part of a turn, and lets other work run between. */
export async function mapInSlices<Item, Result>(
  items: readonly Item[],
  convert: (item: Item) => Result,
): Promise<readonly Result[]> {
  const slices = new Slices();
  const results: Result[] = [];
  for (const item of items) {
    results.push(convert(item));
    await slices.pause();
  }
  return results;
}
