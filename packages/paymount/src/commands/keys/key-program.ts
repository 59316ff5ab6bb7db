import { REVOKED_REASONS, type RevokedReason } from '@paymount/core/access';
import { type Command, Option } from 'commander';
import { mandatory, type Run, repeatable } from '../command-line.ts';
import {
  createKeyCommand,
  listKeysCommand,
  revokeKeyCommand,
  rotateKeyCommand,
  updateKeyCommand,
} from './key-commands.ts';
import type { KeyEditFlags, KeyFlags } from './key-flags.ts';

const ACCOUNT = ['--account <id>', 'account of the key (acct_...)'] as const;
const SCOPES = [
  '--scopes <scopes>',
  'scopes of a restricted key, separated by commas: charges:read,...',
] as const;
const ALLOW_IP = [
  '--allow-ip <range>',
  'address or CIDR range from which the key may be used',
] as const;

/** `paymount keys ...` */
export function addKeys(keys: Command, run: Run): void {
  keys
    .command('create')
    .description('create a key and print it; it is shown only once')
    .addOption(mandatory(...ACCOUNT))
    .addOption(
      mandatory('--environment <environment>', 'environment in which the key works', [
        'live',
        'test',
      ]),
    )
    .addOption(
      mandatory('--type <type>', 'type of the key', ['secret', 'publishable', 'restricted']),
    )
    .addOption(mandatory('--name <name>', 'name of the key'))
    .option(...SCOPES)
    .option('--expires <when>', 'when the key expires: a date, ISO 8601, or a duration such as 90d')
    .addOption(repeatable(...ALLOW_IP))
    .action((flags: KeyFlags) => run((context) => createKeyCommand(context, flags)));
  keys
    .command('list')
    .description('list the keys of an account, and when each was last used')
    .addOption(mandatory(...ACCOUNT))
    .action((flags: { account: string }) => run((context) => listKeysCommand(context, flags)));
  keys
    .command('update <id>')
    .description('change the name, scopes, addresses or expiry of a key')
    .option('--name <name>', 'name of the key')
    .option(...SCOPES)
    .option(
      '--expires <when>',
      'when the key expires: a date, ISO 8601, a duration such as 90d, now or never',
    )
    .addOption(repeatable(...ALLOW_IP))
    .option('--any-ip', 'allow every address again')
    .option('--confirm-lockout', 'accept a list without addresses that used the key recently')
    .action((id: string, flags: KeyEditFlags) =>
      run((context) => updateKeyCommand(context, id, flags)),
    );
  keys
    .command('rotate <id>')
    .description('replace a key: create a new key and print it; it is shown only once')
    .option(
      '--overlap <duration>',
      'how long the old key still works: 0s to 30d; without it, until you revoke it',
    )
    .action((id: string, flags: { overlap?: string }) =>
      run((context) => rotateKeyCommand(context, id, flags)),
    );
  keys
    .command('revoke <id>')
    .description('revoke a key permanently; it stops working everywhere within half a second')
    .addOption(
      new Option('--reason <reason>', 'reason, kept in the audit log')
        .choices(REVOKED_REASONS)
        .default('admin'),
    )
    .action((id: string, flags: { reason: RevokedReason }) =>
      run((context) => revokeKeyCommand(context, id, flags)),
    );
}
