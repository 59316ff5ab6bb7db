import { readFileSync } from 'node:fs';
import { addMerchantCommands } from '@paymount/cli';
import { withoutCredentials } from '@paymount/core';
import { Command, CommanderError } from 'commander';
import { addAccounts } from './account-program.ts';
import { addAudit } from './audit-program.ts';
import type { Run } from './command-line.ts';
import { contextOf } from './context.ts';
import { describeFailure } from './describe-failure.ts';
import { removeHookCommand, showHookCommand } from './hook-commands.ts';
import { addKeys } from './key-program.ts';
import { migrateCommand } from './migrate-command.ts';
import { addOperations } from './operation-program.ts';
import { type ScanFlags, scanCommand } from './scan-command.ts';
import { listSecretsCommand, rewrapSecretsCommand } from './secrets-commands.ts';
import { EXIT, type Terminal } from './terminal.ts';
import { verifyCommand } from './verify-command.ts';

/**
 * Runs one of the commands: the operators', or those of merchants' developers.
 * @param args the command line after `paymount`
 * @returns the exit code: 0 done, 1 failed, 2 wrong command line or settings
 */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  let exitCode: number = EXIT.done;
  const program = createProgram(terminal, async (work) => {
    exitCode = await work(contextOf(program.opts(), terminal));
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    // commander has said it already, on the right stream; help and version end with 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    const failure = describeFailure(error);
    const { exitCode: code, ...facts } = failure;
    if (program.opts()['json']) terminal.remark(JSON.stringify({ error: facts }));
    else terminal.remark(`paymount: ${facts.message}`);
    return code;
  }
}

function createProgram(terminal: Terminal, run: Run): Command {
  const program = new Command('paymount')
    .description('Operates the payments service that is mounted in your app, and tries it out.')
    .option(
      '--config <file>',
      'module that exports the options of createPaymount (else DATABASE_URL, PAYMOUNT_SCHEMA, PAYMOUNT_KEYS)',
    )
    .option('--json', 'print one JSON object')
    .version(ownVersion(), '--version', 'print the version of this package')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      // It repeats what it does not know, such as --key=sk_...
      writeErr: (text) => terminal.remark(withoutCredentials(text.trimEnd())),
    });
  program
    .command('migrate')
    .description('bring the schema up to this version')
    .action(() => run(migrateCommand));
  program
    .command('verify')
    .description('hold money, states and events against each other; 1 when they do not agree')
    .action(() => run(verifyCommand));
  addScan(program.command('scan'), terminal, run);
  addAccounts(program.command('accounts').description('merchants'), run);
  addKeys(program.command('keys').description('keys of merchants'), run);
  addOperations(program.command('operations').description('requests to processors'), run);
  addHook(program.command('hook').description('the hook that results are recorded with'), run);
  addAudit(program.command('audit').description('what was done, by whom'), run);
  addSecrets(program.command('secrets').description('what is sealed at rest'), run);
  const { env, interrupted = () => new AbortController().signal } = terminal;
  addMerchantCommands(program, (work) => run((context) => work({ ...context, env, interrupted })));
  return program;
}

function addScan(scan: Command, { env }: Terminal, run: Run): void {
  scan
    .description('find credentials in files: 0 clean, 1 found, 2 could not tell; no database')
    .argument('[path]', 'a folder or a file', '.')
    .option('--staged', 'instead of files, what the next commit would add')
    .option('--history', 'and in every commit of the repository')
    .option('--report <url>', 'post them to a management API, as PAYMOUNT_ADMIN_TOKEN')
    .option('--sarif', 'print SARIF 2.1.0')
    .action((path: string, flags: ScanFlags) => {
      const surroundings = {
        adminToken: env['PAYMOUNT_ADMIN_TOKEN'],
        indexFile: env['GIT_INDEX_FILE'],
        version: ownVersion(),
      };
      return run((context) => scanCommand(context, path, { ...flags, ...surroundings }));
    });
}

function addHook(hook: Command, run: Run): void {
  hook
    .command('show')
    .description('whether a hook is in use, so that processes without it record no results')
    .action(() => run(showHookCommand));
  hook
    .command('remove')
    .description('let every process record results, once no process has a hook any more')
    .action(() => run(removeHookCommand));
}

function addSecrets(secrets: Command, run: Run): void {
  secrets
    .command('list')
    .description('count what each sealing key has sealed')
    .action(() => run(listSecretsCommand));
  secrets
    .command('rewrap')
    .description('seal everything anew under the newest key, so that older ones can be dropped')
    .action(() => run(rewrapSecretsCommand));
}

/** As the package says beside `src` and `dist` alike. */
function ownVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const [, version = 'unknown'] = /"version": "([^"]+)"/.exec(text) ?? [];
  return version;
}
