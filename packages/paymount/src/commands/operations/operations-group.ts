import { command, commandGroup, optional, required } from '@paymount/cli';
import { OPERATION_KINDS, OPERATION_STATES } from '@paymount/core/payments';
import {
  dismissOperationCommand,
  listOperationsCommand,
  settleOperationCommand,
  showOperationCommand,
} from './operation-commands.ts';

const REASON = required('--reason <text>', 'how you know it; kept in the audit log');

/** `paymount operations ...` */
export const OPERATIONS_GROUP = commandGroup(
  'operations',
  'show and settle requests to processors',
  [
    command({
      name: 'list',
      description: 'list operations that need review, newest first, 100 at a time',
      options: [
        optional('--state <state>', 'only operations in this state; any: all states', {
          choices: ['review', ...OPERATION_STATES, 'any'],
          otherwise: 'review',
        }),
        optional('--account <id>', 'only operations of this account (acct_...)'),
        optional('--environment <name>', 'only operations of this environment', {
          choices: ['live', 'test'],
        }),
        optional('--kind <kind>', 'only operations of this kind', { choices: OPERATION_KINDS }),
        optional('--processor <name>', 'only operations of this processor'),
        optional('--after <id>', 'start after this operation'),
      ],
      run: listOperationsCommand,
    }),
    command({
      name: 'show <id>',
      description: 'show an operation and the answers of the processor',
      run: showOperationCommand,
    }),
    command({
      name: 'settle <id>',
      description:
        'record the outcome of an operation; needs --config, because it runs your hook and your fees',
      options: [
        required('--as <outcome>', 'outcome of the operation', [
          'approved',
          'declined',
          'not_executed',
        ]),
        REASON,
        optional(
          '--reference <text>',
          'reference of the processor; required with approved if the processor never sent one',
        ),
        optional(
          '--amount <minor units>',
          'captured amount, if it is less than the requested amount',
        ),
      ],
      run: settleOperationCommand,
    }),
    command({
      name: 'dismiss <id>',
      description: 'close the review of a late answer that you have dealt with; needs --config',
      options: [REASON],
      run: dismissOperationCommand,
    }),
  ],
);
