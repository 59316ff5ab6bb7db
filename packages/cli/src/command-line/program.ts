import { readFileSync } from 'node:fs';
import { Command, CommanderError, type Option } from 'commander';
import { cliContext, type ProgramFlags } from './cli-context.ts';
import type { AddCommand } from './command.ts';
import { EXIT, type Failure } from './command-failure.ts';
import { processTerminal, type Terminal } from './terminal.ts';

/** How a program is declared; every program has `--json`, `--version` and `--help`. */
export interface ProgramShape {
  readonly name: string;
  readonly description: string;
  /** The package.json that holds its version. */
  readonly manifest: URL;
  readonly options?: readonly Option[];
  /** In the order of the help. */
  readonly commands: readonly AddCommand[];
  /** Removes secrets from an error message about the command line, which may contain arguments. */
  readonly redact: (text: string) => string;
  readonly describeFailure: (error: unknown) => Failure;
}

/**
 * Runs one command of a program. A failure is one line on standard error; with `--json`, the object
 * `{ error: { code, message } }`.
 * @param args the command line after the name of the program
 * @returns the exit code: 0 done, 1 failed, 2 wrong command line or settings
 */
export async function runProgram(
  shape: ProgramShape,
  args: readonly string[],
  terminal: Terminal = processTerminal(),
): Promise<number> {
  let exitCode: number = EXIT.done;
  const program = programOn(shape, terminal);
  for (const add of shape.commands) {
    add(program, async (work) => {
      exitCode = await work(cliContext(program.opts<ProgramFlags>(), terminal));
    });
  }
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    // commander has already printed it, on the right stream; help and version exit with 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    const { exitCode: code, ...facts } = shape.describeFailure(error);
    if (program.opts<ProgramFlags>().json) terminal.printError(JSON.stringify({ error: facts }));
    else terminal.printError(`${shape.name}: ${facts.message}`);
    return code;
  }
}

function programOn(shape: ProgramShape, terminal: Terminal): Command {
  const program = new Command(shape.name).description(shape.description);
  for (const option of shape.options ?? []) program.addOption(option);
  return program
    .option('--json', 'print one JSON object')
    .version(versionIn(shape.manifest), '--version', 'print the version of this package')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      writeErr: (text) => terminal.printError(shape.redact(text.trimEnd())),
    });
}

/** The version that a package.json names. */
function versionIn(manifest: URL): string {
  const text = readFileSync(manifest, 'utf8');
  const [, version = 'unknown'] = /"version": "([^"]+)"/.exec(text) ?? [];
  return version;
}
