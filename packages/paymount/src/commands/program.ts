import {
  command,
  MERCHANT_COMMANDS,
  optional,
  type ProgramShape,
  runProgram,
  type Terminal,
} from '@paymount/cli';
import { redactCredentialText } from '@paymount/core/kernel';
import { ACCOUNTS_GROUP } from './accounts/accounts-group.ts';
import { ADJUSTMENTS_GROUP } from './adjustments/adjustments-group.ts';
import { AUDIT_GROUP } from './audit/audit-group.ts';
import { BANK_ACCOUNTS_GROUP } from './bank-accounts/bank-accounts-group.ts';
import { HOOK_GROUP } from './database/hook-group.ts';
import { migrateCommand } from './database/migrate-command.ts';
import { verifyCommand } from './database/verify-command.ts';
import { describeFailure } from './describe-failure.ts';
import { DISPUTES_GROUP } from './disputes/disputes-group.ts';
import { doctorCommand } from './doctor/doctor-command.ts';
import { EXPUNGE_GROUP } from './expunge/expunge-group.ts';
import { KEYS_GROUP } from './keys/keys-group.ts';
import { NOTICES_GROUP } from './notices/notices-group.ts';
import { OPERATIONS_GROUP } from './operations/operations-group.ts';
import { scanCommand } from './scan/scan-command.ts';
import { SECRETS_GROUP } from './secrets/secrets-group.ts';
import { SETTLEMENT_DIFFERENCES_GROUP } from './settlements/settlement-differences-group.ts';

/** `paymount`: the operators' commands, then those of merchants' developers. */
export const PROGRAM: ProgramShape = {
  name: 'paymount',
  description:
    'Operates the payments service that is mounted in your app, and helps you to test it.',
  // Next to both `src` and `dist`.
  manifest: new URL('../../package.json', import.meta.url),
  options: [
    optional(
      '--config <file>',
      'read the options of createPaymount from this module; without it, the settings are DATABASE_URL, PAYMOUNT_SCHEMA and PAYMOUNT_KEYS',
    ),
  ],
  commands: [
    command({
      name: 'migrate',
      description: 'create or update the tables in the database',
      run: migrateCommand,
    }),
    command({
      name: 'verify',
      description: 'check that charges, events and the ledger agree; exits with 1 if they do not',
      run: verifyCommand,
    }),
    command({
      name: 'doctor',
      description:
        'check the server, tables, clock, connections, deliveries, operations and Redis (REDIS_URL); exits with 1 if there is a problem',
      run: doctorCommand,
    }),
    command({
      name: 'scan',
      description:
        'find leaked credentials in files; exits with 0 if there are none, 1 if some were found, 2 if some files could not be read; needs no database',
      argument: { name: '[path]', description: 'folder or file to search', otherwise: '.' },
      options: [
        optional('--history', 'also search every commit of the repository'),
        optional(
          '--report <url>',
          'send them to this management API, with the token in PAYMOUNT_ADMIN_TOKEN',
        ),
      ],
      run: scanCommand,
    }),
    ACCOUNTS_GROUP,
    KEYS_GROUP,
    OPERATIONS_GROUP,
    NOTICES_GROUP,
    DISPUTES_GROUP,
    SETTLEMENT_DIFFERENCES_GROUP,
    ADJUSTMENTS_GROUP,
    BANK_ACCOUNTS_GROUP,
    EXPUNGE_GROUP,
    HOOK_GROUP,
    AUDIT_GROUP,
    SECRETS_GROUP,
    ...MERCHANT_COMMANDS,
  ],
  // It repeats unknown arguments, such as --key=sk_...
  redact: redactCredentialText,
  describeFailure,
};

/**
 * Runs one of the commands: the operators', or those of merchants' developers.
 * @param args the command line after `paymount`
 * @returns the exit code: 0 done, 1 failed, 2 wrong command line or settings
 */
export function runCommand(args: readonly string[], terminal?: Terminal): Promise<number> {
  return runProgram(PROGRAM, args, terminal);
}
