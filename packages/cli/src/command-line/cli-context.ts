import type { Terminal } from './terminal.ts';

/** The flags before the name of a command. */
export interface ProgramFlags {
  /** `--config`, in programs that have it. */
  readonly config?: string;
  readonly json?: true;
}

/** What every command works with. */
export interface CliContext {
  readonly env: Terminal['env'];
  /** The file of `--config`. */
  readonly config?: string;
  /** A result: the object with `--json`, else the lines. */
  report(result: object, lines: readonly string[]): void;
  /** One line of a result, with and without `--json`. */
  print(line: string): void;
  /** One line of a result for people, at once; nothing with `--json`, whose object comes later. */
  printText(line: string): void;
  /** A message for people only; nothing with `--json`. */
  printNote(line: string): void;
  /** Progress for people; absent without a terminal, and with `--json`. */
  readonly progress?: (text: string) => void;
  /** A signal that Ctrl-C aborts instead of ending the process; a second Ctrl-C ends it. */
  interrupted(): AbortSignal;
}

/** Joins the flags that every command takes with the terminal it runs in. */
export function cliContext({ config, json }: ProgramFlags, terminal: Terminal): CliContext {
  const { env, progress, interrupted = () => new AbortController().signal } = terminal;
  return {
    env,
    ...(config === undefined ? {} : { config }),
    report(result, lines) {
      if (json) terminal.print(JSON.stringify(result));
      else for (const line of lines) terminal.print(line);
    },
    print: (line) => terminal.print(line),
    printText(line) {
      if (!json) terminal.print(line);
    },
    printNote(line) {
      if (!json) terminal.printError(line);
    },
    ...(progress === undefined || json ? {} : { progress }),
    interrupted,
  };
}
