/** What a command sees of its process; tests pass their own. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Results, one line each: standard output. */
  print(line: string): void;
  /** Remarks and errors: standard error, so that results can be piped on. */
  remark(line: string): void;
  /**
   * Shows how far long work is, on one line that the next call replaces and an empty text takes
   * away. Absent when nobody watches: no terminal.
   */
  readonly progress?: (text: string) => void;
  /**
   * From now on Ctrl-C aborts this, in place of ending the process; a second one ends it. Absent where
   * nobody interrupts.
   */
  readonly interrupted?: () => AbortSignal;
}

/** Every command ends with one of these. */
export const EXIT = {
  done: 0,
  /** It was tried, and refused or found something wrong. */
  failed: 1,
  /** The command line or the settings are wrong; nothing was tried. */
  usage: 2,
} as const;

/** The command line or the settings are wrong; the message says what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
