import { command, commandGroup, optional, required } from '@paymount/cli';
import {
  createAccountCommand,
  listAccountsCommand,
  resumeAccountCommand,
  suspendAccountCommand,
  updateAccountCommand,
} from './account-commands.ts';

/** `paymount accounts ...` */
export const ACCOUNTS_GROUP = commandGroup('accounts', 'create and manage accounts of merchants', [
  command({
    name: 'create',
    description: 'create an account and print its id',
    options: [
      required('--name <name>', 'name of the merchant'),
      optional('--email <address>', 'e-mail address for notices'),
      required('--country <code>', 'ISO 3166-1 alpha-2, such as DE'),
      required('--currency <code>', 'ISO 4217, such as eur'),
    ],
    run: createAccountCommand,
  }),
  command({
    name: 'list',
    description: 'list accounts, newest first, 100 at a time',
    options: [
      optional('--status <status>', 'of this status', { choices: ['active', 'suspended'] }),
      optional('--after <id>', 'start after this account'),
    ],
    run: listAccountsCommand,
  }),
  command({
    name: 'update <id>',
    description: 'change the name or the e-mail address of an account',
    options: [
      optional('--name <name>', 'name of the merchant'),
      optional('--email <address>', 'e-mail address for notices'),
      optional('--no-email', 'send no notices'),
    ],
    run: updateAccountCommand,
  }),
  command({
    name: 'suspend <id>',
    description: 'disable all keys of an account; takes at most half a second',
    run: suspendAccountCommand,
  }),
  command({
    name: 'resume <id>',
    description: 'enable the keys of a suspended account again',
    run: resumeAccountCommand,
  }),
]);
