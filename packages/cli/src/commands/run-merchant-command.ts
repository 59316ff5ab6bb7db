import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { CommandFailure } from '../command-failure.ts';
import { holdsSecret } from '../key-format.ts';
import { addMerchantCommands } from '../merchant-program.ts';

const EXIT = { done: 0, failed: 1, usage: 2 } as const;

/** What a command sees of its process; tests pass their own. */
export type MerchantTerminal = Omit<CliContext, 'report'>;

/**
 * Runs `listen`, `trigger` or `resend` by itself, for who does not install the server.
 * @param args the command line after `paymount-cli`
 * @returns the exit code: 0 done, 1 failed, 2 wrong command line or settings
 */
export async function runMerchantCommand(
  args: readonly string[],
  terminal: MerchantTerminal,
): Promise<number> {
  let exitCode: number = EXIT.done;
  const program = programOn(terminal);
  const isJson = (): boolean => program.opts()['json'] === true;
  addMerchantCommands(program, async (work) => {
    const surroundings = {
      ...terminal,
      report(result: object, lines: readonly string[]) {
        for (const line of isJson() ? [JSON.stringify(result)] : lines) terminal.print(line);
      },
      remark(line: string) {
        if (!isJson()) terminal.remark(line);
      },
    };
    exitCode = await work(surroundings);
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    // commander has said it already, on the right stream; help and version end with 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    const { exitCode: code, ...facts } = failureOf(error);
    if (isJson()) terminal.remark(JSON.stringify({ error: facts }));
    else terminal.remark(`paymount-cli: ${facts.message}`);
    return code;
  }
}

function programOn(terminal: MerchantTerminal): Command {
  return new Command('paymount-cli')
    .description('Forwards, triggers and resends events of an account over HTTP.')
    .option('--json', 'print one JSON object')
    .version(ownVersion(), '--version', 'print the version of this package')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      // It repeats what it does not know, such as --key=sk_...
      writeErr: (text) =>
        terminal.remark(
          holdsSecret(text) ? 'error: an argument holds a key or a secret' : text.trimEnd(),
        ),
    });
}

function failureOf(error: unknown): { exitCode: number; code: string; message: string } {
  if (error instanceof CommandFailure) {
    return { exitCode: error.exitCode, code: error.code, message: error.message };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { exitCode: EXIT.failed, code: 'failed', message };
}

/** As the package says beside `src` and `dist` alike. */
function ownVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const [, version = 'unknown'] = /"version": "([^"]+)"/.exec(text) ?? [];
  return version;
}
