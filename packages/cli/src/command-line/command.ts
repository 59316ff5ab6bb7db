import { type Command, Option } from 'commander';
import type { CliContext } from './cli-context.ts';

/** Runs a command, and records its exit code. */
type Run = (work: (context: CliContext) => Promise<number>) => Promise<void>;

/** A command or a group of commands of a program. */
export type AddCommand = (parent: Command, run: Run) => void;

/** How a command is declared. */
export interface CommandShape<Given extends readonly unknown[]> {
  /** With its arguments: `update <id>`. */
  readonly name: string;
  readonly description: string;
  /** An argument that may be left out, such as `[path]`. */
  readonly argument?: {
    readonly name: string;
    readonly description: string;
    readonly otherwise: string;
  };
  readonly options?: readonly Option[];
  /** Checks all arguments and option values before the command runs. @throws CommandFailure */
  readonly check?: (values: readonly string[]) => void;
  /**
   * @param given the arguments in their order, then the flags
   * @returns the exit code
   * @throws CommandFailure, and whatever the program can describe
   */
  readonly run: (context: CliContext, ...given: Given) => Promise<number>;
}

/** One command. */
export function command<Given extends readonly unknown[]>(shape: CommandShape<Given>): AddCommand {
  const { name, description, argument, options = [], check, run } = shape;
  return (parent, start) => {
    const made = parent.command(name).description(description);
    if (argument) made.argument(argument.name, argument.description, argument.otherwise);
    for (const each of options) made.addOption(each);
    if (check) made.hook('preAction', () => check(collectTexts(made)));
    made.action((...given: Given) => start((context) => run(context, ...given)));
  };
}

/** Commands under one word: `keys create`, `keys list`. */
export function commandGroup(
  name: string,
  description: string,
  commands: readonly AddCommand[],
): AddCommand {
  return (parent, run) => {
    const made = parent.command(name).description(description);
    for (const add of commands) add(made, run);
  };
}

function collectTexts(command: Command): string[] {
  const flags: Readonly<Record<string, unknown>> = command.opts();
  return [...command.args, ...Object.values(flags).flat()].filter(
    (value) => typeof value === 'string',
  );
}

/** What an option takes. */
interface OptionRules {
  readonly choices?: readonly string[];
  readonly otherwise?: string;
}

/** An option that may be left out. */
export function optional(flags: string, description: string, rules: OptionRules = {}): Option {
  const option = new Option(flags, description);
  if (rules.choices !== undefined) option.choices(rules.choices);
  return rules.otherwise === undefined ? option : option.default(rules.otherwise);
}

/** An option that must be given. */
export function required(flags: string, description: string, choices?: readonly string[]): Option {
  return optional(flags, `${description} (required)`, choices && { choices }).makeOptionMandatory();
}

/** An option that may be given several times; its value is a list. */
export function repeatable(flags: string, description: string): Option {
  const gather = (value: string, earlier: readonly string[] = []): readonly string[] => [
    ...earlier,
    value,
  ];
  return new Option(flags, `${description}; may be given several times`).argParser(gather);
}
