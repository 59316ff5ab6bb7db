/** 1: it was tried, and refused; 2: the command line or the settings are wrong. */
type ExitCode = 1 | 2;

/** How a command fails: the message says what was found and what to do; it never holds a key. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exitCode: ExitCode;
  /** Of the API's table, where that refused; else a word of this package. */
  readonly code: string;

  constructor(exitCode: ExitCode, code: string, message: string) {
    super(message);
    this.exitCode = exitCode;
    this.code = code;
  }
}

/** Nothing was tried. */
export function usage(message: string): CommandFailure {
  return new CommandFailure(2, 'usage', message);
}
