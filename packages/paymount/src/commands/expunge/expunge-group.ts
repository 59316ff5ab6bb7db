import { command, commandGroup, optional, repeatable, required } from '@paymount/cli';
import { EXPUNGE_STATUSES } from '@paymount/core/expunging';
import {
  createExpungeCommand,
  listExpungesCommand,
  showExpungeCommand,
} from './expunge-commands.ts';

/** `paymount expunge ...` */
export const EXPUNGE_GROUP = commandGroup(
  'expunge',
  'delete the personal data of events, and of what was sent and received with them',
  [
    command({
      name: 'create',
      description:
        'request it for events of one account and environment; it cannot be undone, and needs a worker',
      options: [
        required('--account <id>', 'account of the events (acct_...)'),
        required('--environment <name>', 'environment of the events', ['live', 'test']),
        required('--reason <text>', 'why; kept in the audit log, without personal data'),
        repeatable('--event <id>', 'only this event (evt_...)'),
        optional('--object <id>', 'only events of this object, such as a charge'),
        optional('--created-from <time>', 'only events from this time on: a date, ISO 8601 or 30d'),
        optional('--created-before <time>', 'only events before this time'),
      ],
      run: createExpungeCommand,
    }),
    command({
      name: 'list',
      description: 'list requests, newest first, 100 at a time',
      options: [
        optional('--status <status>', 'only requests with this status', {
          choices: EXPUNGE_STATUSES,
        }),
        optional('--account <id>', 'only requests for this account (acct_...)'),
        optional('--after <id>', 'start after this request'),
      ],
      run: listExpungesCommand,
    }),
    command({
      name: 'show <id>',
      description: 'show a request and its progress',
      run: showExpungeCommand,
    }),
  ],
);
