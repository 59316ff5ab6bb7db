import { command, commandGroup, optional, required } from '@paymount/cli';
import {
  confirmBankAccountCommand,
  listBankAccountsCommand,
  restoreBankAccountCommand,
  showBankAccountCommand,
} from './bank-account-commands.ts';

/** `paymount bank-accounts ...` */
export const BANK_ACCOUNTS_GROUP = commandGroup(
  'bank-accounts',
  'show where payouts go, end holds, and restore what a bank refused',
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
      name: 'confirm <id>',
      description: 'send payouts to a new bank account at once, instead of after a day',
      options: [required('--reason <text>', 'how you know it; kept in the audit log')],
      run: confirmBankAccountCommand,
    }),
    command({
      name: 'restore <id>',
      description: 'let payouts go to an errored bank account again',
      run: restoreBankAccountCommand,
    }),
  ],
);
