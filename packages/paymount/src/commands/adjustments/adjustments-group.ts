import { type AddCommand, command, commandGroup, required } from '@paymount/cli';
import type { Adjustment } from '@paymount/core/payments';
import { createAdjustmentCommand } from './adjustment-commands.ts';

const OPTIONS = [
  required('--account <id>', 'whose balance (acct_...)'),
  required('--environment <name>', 'of which environment', ['live', 'test']),
  required('--amount <minor units>', 'how much, such as 4200'),
  required('--currency <code>', 'the currency, such as eur'),
  required('--reason <text>', 'why; kept with it and in the audit log'),
];

/** `paymount adjustments ...` */
export const ADJUSTMENTS_GROUP = commandGroup('adjustments', 'adjust the balance of an account', [
  adjustment('reserve', 'reserve', 'keep available funds back from payouts'),
  adjustment('release', 'release', 'make reserved funds available again'),
  adjustment('write-off', 'write_off', 'end a debt of the balance, which you then bear'),
]);

function adjustment(name: string, kind: Adjustment['kind'], description: string): AddCommand {
  return command({
    name,
    description: `${description}; prints the id of the adjustment`,
    options: OPTIONS,
    run: createAdjustmentCommand(kind),
  });
}
