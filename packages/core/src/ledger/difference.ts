/** One place where the books do not agree with themselves. */
export interface Difference {
  /** Which rule is broken, as a sentence. */
  readonly rule: string;
  /** The id of the row at fault, and its currency where that matters. */
  readonly subject: string;
  /** Minor units, or words. */
  readonly expected: string;
  readonly found: string;
}

/** How far a check of the books is. */
export interface VerifyProgress {
  /** Rules that were judged on all rows, of `rules`. */
  readonly checked: number;
  readonly rules: number;
  /** Differences so far, listed or not. */
  readonly found: number;
}

/** How to check the books, and who is told meanwhile. */
export interface VerifyOptions {
  /** 1, or 2 for half the time. @defaultValue 1 */
  readonly connections?: 1 | 2;
  /** Told of each difference that is listed, as it is found. */
  readonly onDifference?: (difference: Difference) => void;
  /** Told after each scan. */
  readonly onProgress?: (progress: VerifyProgress) => void;
}
