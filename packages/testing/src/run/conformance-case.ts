/** One test of an adapter, for any test runner: `run` rejects with an AssertionError on failure. */
export interface ConformanceCase {
  /** A sentence. */
  readonly name: string;
  run(): Promise<void>;
}
