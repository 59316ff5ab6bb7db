import { command, commandGroup, optional, required } from '@paymount/cli';
import { SettlementDifferenceResource } from '@paymount/core/payments';
import {
  listSettlementDifferencesCommand,
  settleSettlementDifferenceCommand,
  showSettlementDifferenceCommand,
} from './settlement-commands.ts';

const { kind, state } = SettlementDifferenceResource.shape;

/** `paymount settlement-differences ...` */
export const SETTLEMENT_DIFFERENCES_GROUP = commandGroup(
  'settlement-differences',
  'show and settle what processors paid and the ledger does not agree with',
  [
    command({
      name: 'list',
      description: 'list open differences, newest first, 100 at a time',
      options: [
        optional('--state <state>', 'only differences in this state; any: all states', {
          choices: [...state.options, 'any'],
          otherwise: 'open',
        }),
        optional('--account <id>', 'only differences of this account (acct_...)'),
        optional('--environment <name>', 'only differences of this environment', {
          choices: ['live', 'test'],
        }),
        optional('--kind <kind>', 'only differences of this kind', {
          choices: kind.options,
        }),
        optional('--processor <name>', 'only differences of this processor'),
        optional('--after <id>', 'start after this difference'),
      ],
      run: listSettlementDifferencesCommand,
    }),
    command({
      name: 'show <id>',
      description: 'show a difference',
      run: showSettlementDifferenceCommand,
    }),
    command({
      name: 'settle <id>',
      description: 'settle a difference that you have cleared up; books nothing',
      options: [
        required('--expected <amount>', 'the minor units that it shows as expected; -: nothing'),
        required('--found <amount>', 'the minor units that it shows as found'),
        required('--note <text>', 'how you know what it is; kept with it and in the audit log'),
      ],
      run: settleSettlementDifferenceCommand,
    }),
  ],
);
