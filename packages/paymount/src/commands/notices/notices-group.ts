import { command, commandGroup, optional, required } from '@paymount/cli';
import { NOTICE_STATES, STORED_NOTICE_KINDS } from '@paymount/core/payments';
import { ingestNoticesCommand } from './ingest-command.ts';
import {
  dismissNoticeCommand,
  listNoticesCommand,
  retryNoticeCommand,
  showNoticeCommand,
} from './notice-commands.ts';

/** `paymount notices ...` */
export const NOTICES_GROUP = commandGroup('notices', 'show and decide what processors reported', [
  command({
    name: 'list',
    description: 'list notices that need review, newest first, 100 at a time',
    options: [
      optional('--state <state>', 'only notices in this state; any: all states', {
        choices: ['review', ...NOTICE_STATES, 'any'],
        otherwise: 'review',
      }),
      optional('--account <id>', 'only notices of this account (acct_...)'),
      optional('--environment <name>', 'only notices of this environment', {
        choices: ['live', 'test'],
      }),
      optional('--kind <kind>', 'only notices of this kind', { choices: STORED_NOTICE_KINDS }),
      optional('--processor <name>', 'only notices of this processor'),
      optional('--after <id>', 'start after this notice'),
    ],
    run: listNoticesCommand,
  }),
  command({
    name: 'show <id>',
    description: 'show a notice and why it waits',
    run: showNoticeCommand,
  }),
  command({
    name: 'ingest <file>',
    description:
      'take the notices of a file of the processor, such as a settlement report; needs --config, because your adapter reads it',
    options: [required('--environment <name>', 'whose processor it comes from', ['live', 'test'])],
    run: ingestNoticesCommand,
  }),
  command({
    name: 'retry <id>',
    description: 'apply a notice again; needs --config, because it runs your hook and your fees',
    run: retryNoticeCommand,
  }),
  command({
    name: 'dismiss <id>',
    description: 'set aside a notice that you have dealt with; needs --config',
    options: [required('--reason <text>', 'how you know it; kept in the audit log')],
    run: dismissNoticeCommand,
  }),
]);
