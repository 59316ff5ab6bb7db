import { command, commandGroup, required } from '@paymount/cli';
import { ruleDisputeCommand } from './dispute-commands.ts';

/** `paymount disputes ...` */
export const DISPUTES_GROUP = commandGroup('disputes', 'record what issuers decided', [
  command({
    name: 'rule <id>',
    description:
      'record a ruling about a chargeback, or that its ruling was reversed; needs --config, because it runs your hook',
    options: [
      required(
        '--as <outcome>',
        'how the issuer ruled; reopened: its ruling does not count any more',
        ['won', 'lost', 'reopened'],
      ),
      required('--reason <text>', 'how you know it; kept in the audit log'),
    ],
    run: ruleDisputeCommand,
  }),
]);
