/** One difference that a check of the data found. */
export interface Difference {
  /** The broken rule, as a sentence. */
  readonly rule: string;
  /** The id of the wrong row, and its currency where that matters. */
  readonly subject: string;
  /** Minor units, or words. */
  readonly expected: string;
  readonly found: string;
}

/** The progress of a check of the data. */
export interface VerifyProgress {
  /** Rules that were checked on all rows, of `rules`. */
  readonly checked: number;
  readonly rules: number;
  /** Differences so far, listed or not. */
  readonly found: number;
}

/** How to check the data, and callbacks for progress. */
export interface VerifyOptions {
  /** 1, or 2 for half the time. @defaultValue 1 */
  readonly connections?: 1 | 2;
  /** Called for each listed difference when it is found. */
  readonly onDifference?: (difference: Difference) => void;
  /** Called after each scan. */
  readonly onProgress?: (progress: VerifyProgress) => void;
}
