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
  /** Rows that were read, of about so many. Absent if the storage does not know. */
  readonly rows?: { readonly read: number; readonly expected: number };
}

/** What a check of the data will need, as the server expects from the statistics of its tables. */
export interface VerifyPlan {
  /** That it reads. */
  readonly rows: number;
  /** Of temporary files of the server, at most at the same time, to sort what its memory does not hold. */
  readonly diskBytes: number;
}

/** How to check the data, and callbacks for progress. */
export interface VerifyOptions {
  /** 1, or 2 for half the time. @defaultValue 1 */
  readonly connections?: 1 | 2;
  /** Called for each listed difference when it is found. */
  readonly onDifference?: (difference: Difference) => void;
  /** Called once, before anything is read. */
  readonly onPlan?: (plan: VerifyPlan) => void;
  /** Called after each scan, and about every second while one runs. */
  readonly onProgress?: (progress: VerifyProgress) => void;
}
