import { command, commandGroup, optional } from '@paymount/cli';
import {
  listBankAccountsCommand,
  restoreBankAccountCommand,
  showBankAccountCommand,
} from './bank-account-commands.ts';

/** `paymount bank-accounts ...` */
export const BANK_ACCOUNTS_GROUP = commandGroup(
  'bank-accounts',
  'show where payouts go, and restore what a bank refused',
  [
    command({
      name: 'list',
      description: 'list bank accounts of merchants, newest first, 100 at a time',
      options: [
        optional('--status <status>', 'only bank accounts with this status', {
          choices: ['new', 'errored'],
        }),
        optional('--account <id>', 'only bank accounts of this account (acct_...)'),
        optional('--environment <name>', 'only bank accounts of this environment', {
          choices: ['live', 'test'],
        }),
        optional('--currency <code>', 'only bank accounts for this currency'),
        optional('--after <id>', 'start after this bank account'),
      ],
      run: listBankAccountsCommand,
    }),
    command({
      name: 'show <id>',
      description: 'show a bank account',
      run: showBankAccountCommand,
    }),
    command({
      name: 'restore <id>',
      description: 'let payouts go to an errored bank account again',
      run: restoreBankAccountCommand,
    }),
  ],
);
