import { Option } from 'commander';
import type { Context } from './context.ts';

/** Runs a command, and keeps how it ended. */
export type Run = (work: (context: Context) => Promise<number>) => Promise<void>;

/** An option that must be given. */
export function mandatory(flags: string, description: string, choices?: readonly string[]): Option {
  const option = new Option(flags, `${description} (required)`).makeOptionMandatory();
  return choices === undefined ? option : option.choices(choices);
}

/** An option that may be given several times; its value is a list. */
export function repeatable(flags: string, description: string): Option {
  const gather = (value: string, earlier: readonly string[] = []): readonly string[] => [
    ...earlier,
    value,
  ];
  return new Option(flags, `${description}; may be given several times`).argParser(gather);
}
