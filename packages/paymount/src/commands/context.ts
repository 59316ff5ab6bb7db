import { type ConfiguredOptions, readOptions, readSettings, type Settings } from './settings.ts';
import type { Terminal } from './terminal.ts';

export interface CommonFlags {
  readonly config?: string;
  readonly json?: true;
}

/** What each command works with. */
export interface Context {
  /** Read when first needed, so that a wrong command line is reported first. */
  settings(): Promise<Settings>;
  /** All options of `createPaymount`. @throws UsageError without `--config` */
  options(): Promise<ConfiguredOptions>;
  /** Ends a command: the object with `--json`, else the lines. */
  report(result: object, lines: readonly string[]): void;
  /** One line of a result that is as long as it is, the same with `--json`. */
  print(line: string): void;
  /** One line of a result for people, at once; nothing with `--json`, whose object comes later. */
  tell(line: string): void;
  /** Said to people only; nothing with `--json`. */
  remark(line: string): void;
  /** Said to people who watch only: absent without a terminal, and with `--json`. */
  readonly progress?: (text: string) => void;
}

/** Joins the flags that every command takes with the terminal it runs in. */
export function contextOf({ config, json }: CommonFlags, terminal: Terminal): Context {
  const { progress } = terminal;
  return {
    settings: () => readSettings(config, terminal.env),
    options: () => readOptions(config),
    report(result, lines) {
      if (json) terminal.print(JSON.stringify(result));
      else for (const line of lines) terminal.print(line);
    },
    print: (line) => terminal.print(line),
    tell(line) {
      if (!json) terminal.print(line);
    },
    remark(line) {
      if (!json) terminal.remark(line);
    },
    ...(progress === undefined || json ? {} : { progress }),
  };
}
