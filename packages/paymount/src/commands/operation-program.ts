import { OPERATION_KINDS, OPERATION_STATES } from '@paymount/core';
import { type Command, Option } from 'commander';
import { mandatory, type Run } from './command-line.ts';
import {
  dismissOperationCommand,
  listOperationsCommand,
  type OperationListFlags,
  type SettleFlags,
  settleOperationCommand,
  showOperationCommand,
} from './operation-commands.ts';

const REASON = ['--reason <text>', 'why, for the audit log: how you know'] as const;

/** `paymount operations ...` */
export function addOperations(operations: Command, run: Run): void {
  const states = ['review', ...OPERATION_STATES, 'any'];
  operations
    .command('list')
    .description('list operations that a person must look at, newest first, 100 at a time')
    .addOption(
      new Option('--state <state>', 'of this state; `any`: all').choices(states).default('review'),
    )
    .option('--account <id>', 'of this account (acct_...)')
    .addOption(new Option('--environment <name>', 'of this one').choices(['live', 'test']))
    .addOption(new Option('--kind <kind>', 'of this kind').choices([...OPERATION_KINDS]))
    .option('--processor <name>', 'of this adapter')
    .option('--after <id>', 'go on after this operation')
    .action((flags: OperationListFlags) => run((context) => listOperationsCommand(context, flags)));
  operations
    .command('show <id>')
    .description('show an operation and what was answered about it')
    .action((id: string) => run((context) => showOperationCommand(context, id)));
  operations
    .command('settle <id>')
    .description('say what became of an operation; needs --config, for your hook and your fees')
    .addOption(
      mandatory('--as <outcome>', 'what became of it', ['approved', 'declined', 'not_executed']),
    )
    .addOption(mandatory(...REASON))
    .option('--reference <text>', 'what the processor calls it; for an approval that it never told')
    .option('--amount <minor units>', 'what was captured, when that is less than was asked')
    .action((id: string, flags: SettleFlags) =>
      run((context) => settleOperationCommand(context, id, flags)),
    );
  operations
    .command('dismiss <id>')
    .description('set aside an answer that came late, once it is dealt with; needs --config')
    .addOption(mandatory(...REASON))
    .action((id: string, { reason }: { readonly reason: string }) =>
      run((context) => dismissOperationCommand(context, id, reason)),
    );
}
