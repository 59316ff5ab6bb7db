import { type Command, Option } from 'commander';
import {
  type AccountEditFlags,
  type AccountFlags,
  type AccountListFlags,
  createAccountCommand,
  listAccountsCommand,
  resumeAccountCommand,
  suspendAccountCommand,
  updateAccountCommand,
} from './account-commands.ts';
import { mandatory, type Run } from './command-line.ts';

/** `paymount accounts ...` */
export function addAccounts(accounts: Command, run: Run): void {
  accounts
    .command('create')
    .description('make an account and print its id')
    .addOption(mandatory('--name <name>', 'name of the merchant'))
    .option('--email <address>', 'where notices go')
    .addOption(mandatory('--country <code>', 'ISO 3166-1 alpha-2, such as DE'))
    .addOption(mandatory('--currency <code>', 'ISO 4217, such as eur'))
    .action((flags: AccountFlags) => run((context) => createAccountCommand(context, flags)));
  accounts
    .command('list')
    .description('list accounts, newest first, 100 at a time')
    .addOption(new Option('--status <status>', 'of this status').choices(['active', 'suspended']))
    .option('--after <id>', 'go on after this account')
    .action((flags: AccountListFlags) => run((context) => listAccountsCommand(context, flags)));
  accounts
    .command('update <id>')
    .description('change an account')
    .option('--name <name>', 'name of the merchant')
    .option('--email <address>', 'where notices go')
    .option('--no-email', 'send no notices')
    .action((id: string, flags: AccountEditFlags) =>
      run((context) => updateAccountCommand(context, id, flags)),
    );
  accounts
    .command('suspend <id>')
    .description('refuse all keys of an account, everywhere within half a second')
    .action((id: string) => run((context) => suspendAccountCommand(context, id)));
  accounts
    .command('resume <id>')
    .description('let the keys of a suspended account in again')
    .action((id: string) => run((context) => resumeAccountCommand(context, id)));
}
