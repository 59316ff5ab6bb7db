/** Numbers that look random and follow from a seed, so that a run can be made again. */
export class SeededRandom {
  readonly seed: number;
  #state: number;

  /** @param seed an integer from 0 to 4,294,967,295 */
  constructor(seed: number) {
    this.seed = seed;
    this.#state = seed >>> 0;
  }

  /** At least 0, below 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer from `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  /** True in this share of the cases. */
  chance(share: number): boolean {
    return this.next() < share;
  }

  /** One of them. @throws RangeError when there is none */
  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.between(0, items.length - 1)];
    if (item === undefined) throw new RangeError('Nothing to choose from.');
    return item;
  }

  /** All of them, in another order. */
  shuffle<Item>(items: readonly Item[]): Item[] {
    const left = [...items];
    const shuffled: Item[] = [];
    while (left.length > 0) shuffled.push(...left.splice(this.between(0, left.length - 1), 1));
    return shuffled;
  }
}
