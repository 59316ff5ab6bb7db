/** What a command sees of its process. */
export interface CliContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A result: the object with `--json`, else the lines. */
  report(result: object, lines: readonly string[]): void;
  /** One line of a result, with and without `--json`. */
  print(line: string): void;
  /** Said to people only. */
  remark(line: string): void;
  /** From now on Ctrl-C aborts this, in place of ending the process; a second one ends it. */
  interrupted(): AbortSignal;
}
