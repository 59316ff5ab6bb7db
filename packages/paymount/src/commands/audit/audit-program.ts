import type { Command } from 'commander';
import type { Run } from '../command-line.ts';
import {
  type AuditExportFlags,
  type AuditVerifyFlags,
  exportAuditCommand,
  verifyAuditCommand,
} from './audit-commands.ts';

const ACCOUNT = ['--account <id>', 'of one account (acct_...)'] as const;

/** `paymount audit ...` */
export function addAudit(audit: Command, run: Run): void {
  audit
    .command('verify')
    .description('verify the hash chains and print their heads; keep the output elsewhere')
    .option(...ACCOUNT)
    .option('--heads <file>', 'output of an earlier run; shows whether a chain was shortened since')
    .action((flags: AuditVerifyFlags) => run((context) => verifyAuditCommand(context, flags)));
  audit
    .command('export')
    .description('print all entries, account by account, oldest first, one JSON object per line')
    .option(...ACCOUNT)
    .option('--since <when>', 'a date, ISO 8601, or a duration back from now such as 30d')
    .action((flags: AuditExportFlags) => run((context) => exportAuditCommand(context, flags)));
}
