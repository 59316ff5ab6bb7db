/** What a run of a scenario found. */
export interface Findings {
  /** Sentences about what must not be; empty is good. */
  readonly violations: readonly string[];
  /** What was measured, for the reader: figures with their unit in the name. */
  readonly figures: Readonly<Record<string, number>>;
}

/** One law that must hold however many rows there are. */
export interface Scenario {
  readonly name: string;
  /** One sentence: what must hold. */
  readonly law: string;
  /** Rows: of a short run, and of a whole one. */
  readonly sizes: { readonly small: number; readonly whole: number };
  run(size: number): Promise<Findings>;
}
