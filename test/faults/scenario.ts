/** What a run of a scenario found. */
export interface Findings {
  /** Sentences about what must not be; empty is good. */
  readonly violations: readonly string[];
  /** What happened, for the reader: counts by name. */
  readonly counts: Readonly<Record<string, number>>;
}

/** One fault run: small in `npm test`, larger under `npm run test:faults`. */
export interface Scenario {
  readonly name: string;
  /** One sentence: what must hold. */
  readonly law: string;
  /** Rounds, deliveries or visits: in `npm test`, nightly, and with `--full`. */
  readonly sizes: { readonly small: number; readonly nightly: number; readonly full: number };
  /** @param seed orders what is left to chance; runs without chance take no notice of it */
  run(size: number, seed?: number): Promise<Findings>;
}

/** Counts by name. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(name: string, by = 1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + by);
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  toCounts(): Record<string, number> {
    return Object.fromEntries([...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
