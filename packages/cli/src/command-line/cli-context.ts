import type { Terminal } from './terminal.ts';

/** The flags that stand before the name of a command. */
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
  /** Said to people only; nothing with `--json`. */
  printNote(line: string): void;
  /** Said to people who watch only: absent without a terminal, and with `--json`. */
  readonly progress?: (text: string) => void;
  /** From now on Ctrl-C aborts this, in place of ending the process; a second one ends it. */
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
