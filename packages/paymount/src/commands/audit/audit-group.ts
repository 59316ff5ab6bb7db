import { command, commandGroup, optional } from '@paymount/cli';
import { exportAuditCommand, verifyAuditCommand } from './audit-commands.ts';

const ACCOUNT = ['--account <id>', 'of one account (acct_...)'] as const;

/** `paymount audit ...` */
export const AUDIT_GROUP = commandGroup('audit', 'verify or export the audit log', [
  command({
    name: 'verify',
    description: 'verify the hash chains and print their heads; keep the output elsewhere',
    options: [
      optional(...ACCOUNT),
      optional(
        '--heads <file>',
        'output of an earlier run; shows whether a chain was shortened since',
      ),
    ],
    run: verifyAuditCommand,
  }),
  command({
    name: 'export',
    description: 'print all entries, account by account, oldest first, one JSON object per line',
    options: [
      optional(...ACCOUNT),
      optional('--since <when>', 'a date, ISO 8601, or a duration back from now such as 30d'),
    ],
    run: exportAuditCommand,
  }),
]);
