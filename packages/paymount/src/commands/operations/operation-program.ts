import { OPERATION_KINDS, OPERATION_STATES } from '@paymount/core/payments';
import { type Command, Option } from 'commander';
import { mandatory, type Run } from '../command-line.ts';
import {
  dismissOperationCommand,
  listOperationsCommand,
  type OperationListFlags,
  type SettleFlags,
  settleOperationCommand,
  showOperationCommand,
} from './operation-commands.ts';

const REASON = ['--reason <text>', 'how you know it; kept in the audit log'] as const;

/** `paymount operations ...` */
export function addOperations(operations: Command, run: Run): void {
  const states = ['review', ...OPERATION_STATES, 'any'];
  operations
    .command('list')
    .description('list operations that need review, newest first, 100 at a time')
    .addOption(
      new Option('--state <state>', 'only operations in this state; any: all states')
        .choices(states)
        .default('review'),
    )
    .option('--account <id>', 'only operations of this account (acct_...)')
    .addOption(
      new Option('--environment <name>', 'only operations of this environment').choices([
        'live',
        'test',
      ]),
    )
    .addOption(
      new Option('--kind <kind>', 'only operations of this kind').choices([...OPERATION_KINDS]),
    )
    .option('--processor <name>', 'only operations of this processor')
    .option('--after <id>', 'start after this operation')
    .action((flags: OperationListFlags) => run((context) => listOperationsCommand(context, flags)));
  operations
    .command('show <id>')
    .description('show an operation and the answers of the processor')
    .action((id: string) => run((context) => showOperationCommand(context, id)));
  operations
    .command('settle <id>')
    .description(
      'record the outcome of an operation; needs --config, because it runs your hook and your fees',
    )
    .addOption(
      mandatory('--as <outcome>', 'outcome of the operation', [
        'approved',
        'declined',
        'not_executed',
      ]),
    )
    .addOption(mandatory(...REASON))
    .option(
      '--reference <text>',
      'reference of the processor; required with approved if the processor never sent one',
    )
    .option('--amount <minor units>', 'captured amount, if it is less than the requested amount')
    .action((id: string, flags: SettleFlags) =>
      run((context) => settleOperationCommand(context, id, flags)),
    );
  operations
    .command('dismiss <id>')
    .description('close the review of a late answer that you have dealt with; needs --config')
    .addOption(mandatory(...REASON))
    .action((id: string, { reason }: { readonly reason: string }) =>
      run((context) => dismissOperationCommand(context, id, reason)),
    );
}
