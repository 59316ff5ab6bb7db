import { type Command, Option } from 'commander';
import { mandatory, type Run } from '../command-line.ts';
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

/** `paymount accounts ...` */
export function addAccounts(accounts: Command, run: Run): void {
  accounts
    .command('create')
    .description('create an account and print its id')
    .addOption(mandatory('--name <name>', 'name of the merchant'))
    .option('--email <address>', 'e-mail address for notices')
    .addOption(mandatory('--country <code>', 'ISO 3166-1 alpha-2, such as DE'))
    .addOption(mandatory('--currency <code>', 'ISO 4217, such as eur'))
    .action((flags: AccountFlags) => run((context) => createAccountCommand(context, flags)));
  accounts
    .command('list')
    .description('list accounts, newest first, 100 at a time')
    .addOption(new Option('--status <status>', 'of this status').choices(['active', 'suspended']))
    .option('--after <id>', 'start after this account')
    .action((flags: AccountListFlags) => run((context) => listAccountsCommand(context, flags)));
  accounts
    .command('update <id>')
    .description('change the name or the e-mail address of an account')
    .option('--name <name>', 'name of the merchant')
    .option('--email <address>', 'e-mail address for notices')
    .option('--no-email', 'send no notices')
    .action((id: string, flags: AccountEditFlags) =>
      run((context) => updateAccountCommand(context, id, flags)),
    );
  accounts
    .command('suspend <id>')
    .description('disable all keys of an account; takes at most half a second')
    .action((id: string) => run((context) => suspendAccountCommand(context, id)));
  accounts
    .command('resume <id>')
    .description('enable the keys of a suspended account again')
    .action((id: string) => run((context) => resumeAccountCommand(context, id)));
}
