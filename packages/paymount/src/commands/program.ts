import { readFileSync } from 'node:fs';
import { addMerchantCommands } from '@paymount/cli';
import { withoutCredentials } from '@paymount/core/kernel';
import { Command, CommanderError } from 'commander';
import { addAccounts } from './accounts/account-program.ts';
import { addAudit } from './audit/audit-program.ts';
import type { Run } from './command-line.ts';
import { contextOf } from './context.ts';
import { removeHookCommand, showHookCommand } from './database/hook-commands.ts';
import { migrateCommand } from './database/migrate-command.ts';
import { verifyCommand } from './database/verify-command.ts';
import { describeFailure } from './describe-failure.ts';
import { addKeys } from './keys/key-program.ts';
import { addOperations } from './operations/operation-program.ts';
import { type ScanFlags, scanCommand } from './scan/scan-command.ts';
import { listSecretsCommand, rewrapSecretsCommand } from './secrets/secrets-commands.ts';
import { EXIT, type Terminal } from './terminal.ts';

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
    .description(
      'Operates the payments service that is mounted in your app, and helps you to test it.',
    )
    .option(
      '--config <file>',
      'read the options of createPaymount from this module; without it, the settings are DATABASE_URL, PAYMOUNT_SCHEMA and PAYMOUNT_KEYS',
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
    .description('create or update the tables in the database')
    .action(() => run(migrateCommand));
  program
    .command('verify')
    .description('check that charges, events and the ledger agree; exits with 1 if they do not')
    .action(() => run(verifyCommand));
  addScan(program.command('scan'), terminal, run);
  const groups: readonly [string, string, (command: Command, run: Run) => void][] = [
    ['accounts', 'create and manage accounts of merchants', addAccounts],
    ['keys', 'create and manage API keys', addKeys],
    ['operations', 'show and settle requests to processors', addOperations],
    ['hook', 'show or remove the record that a hook is in use', addHook],
    ['audit', 'verify or export the audit log', addAudit],
    ['secrets', 'show and re-encrypt the stored secrets', addSecrets],
  ];
  for (const [name, description, add] of groups) {
    add(program.command(name).description(description), run);
  }
  const { env, interrupted = () => new AbortController().signal } = terminal;
  addMerchantCommands(program, (work) => run((context) => work({ ...context, env, interrupted })));
  return program;
}

function addScan(scan: Command, { env }: Terminal, run: Run): void {
  scan
    .description(
      'find leaked credentials in files; exits with 0 if there are none, 1 if some were found, 2 if some files could not be read; needs no database',
    )
    .argument('[path]', 'folder or file to search', '.')
    .option('--staged', 'search the changes staged for the next commit instead of files')
    .option('--history', 'also search every commit of the repository')
    .option(
      '--report <url>',
      'send them to this management API, with the token in PAYMOUNT_ADMIN_TOKEN',
    )
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
    .description(
      'show whether a hook is in use; if it is, processes without it do not record results',
    )
    .action(() => run(showHookCommand));
  hook
    .command('remove')
    .description(
      'let every process record results again, after you have removed the hook from your app',
    )
    .action(() => run(removeHookCommand));
}

function addSecrets(secrets: Command, run: Run): void {
  secrets
    .command('list')
    .description('count the secrets that each sealing key has encrypted')
    .action(() => run(listSecretsCommand));
  secrets
    .command('rewrap')
    .description('encrypt all secrets with the newest key, so that you can remove older keys')
    .action(() => run(rewrapSecretsCommand));
}

/** As the package says beside `src` and `dist` alike. */
function ownVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const [, version = 'unknown'] = /"version": "([^"]+)"/.exec(text) ?? [];
  return version;
}
