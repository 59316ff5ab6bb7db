import { REVOKED_REASONS, type RevokedReason } from '@paymount/core';
import { type Command, Option } from 'commander';
import { mandatory, type Run, repeatable } from './command-line.ts';
import {
  createKeyCommand,
  listKeysCommand,
  revokeKeyCommand,
  rotateKeyCommand,
  updateKeyCommand,
} from './key-commands.ts';
import type { KeyEditFlags, KeyFlags } from './key-flags.ts';

const ACCOUNT = ['--account <id>', 'account of the key (acct_...)'] as const;
const SCOPES = ['--scopes <scopes>', 'of a restricted key, with commas: charges:read,...'] as const;
const ALLOW_IP = ['--allow-ip <range>', 'address or CIDR range it may be used from'] as const;

/** `paymount keys ...` */
export function addKeys(keys: Command, run: Run): void {
  keys
    .command('create')
    .description('make a key and print it, this once')
    .addOption(mandatory(...ACCOUNT))
    .addOption(mandatory('--environment <environment>', 'where it works', ['live', 'test']))
    .addOption(
      mandatory('--type <type>', 'what it may do', ['secret', 'publishable', 'restricted']),
    )
    .addOption(mandatory('--name <name>', 'what it is for'))
    .option(...SCOPES)
    .option('--expires <when>', 'a date, ISO 8601, or a duration such as 90d')
    .addOption(repeatable(...ALLOW_IP))
    .action((flags: KeyFlags) => run((context) => createKeyCommand(context, flags)));
  keys
    .command('list')
    .description('list the keys of an account, and when each was last used')
    .addOption(mandatory(...ACCOUNT))
    .action((flags: { account: string }) => run((context) => listKeysCommand(context, flags)));
  keys
    .command('update <id>')
    .description('change name, scopes, addresses or expiry')
    .option('--name <name>', 'what it is for')
    .option(...SCOPES)
    .option('--expires <when>', 'a date, ISO 8601, a duration such as 90d, now or never')
    .addOption(repeatable(...ALLOW_IP))
    .option('--any-ip', 'lift the list of addresses')
    .option('--confirm-lockout', 'though addresses that used it lately are left out')
    .action((id: string, flags: KeyEditFlags) =>
      run((context) => updateKeyCommand(context, id, flags)),
    );
  keys
    .command('rotate <id>')
    .description('make the successor of a key and print it, this once')
    .option('--overlap <duration>', 'how long the old one still works: 0s to 30d (else: revoke it)')
    .action((id: string, flags: { overlap?: string }) =>
      run((context) => rotateKeyCommand(context, id, flags)),
    );
  keys
    .command('revoke <id>')
    .description('revoke a key for good; it is refused everywhere within half a second')
    .addOption(
      new Option('--reason <reason>', 'for the record').choices(REVOKED_REASONS).default('admin'),
    )
    .action((id: string, flags: { reason: RevokedReason }) =>
      run((context) => revokeKeyCommand(context, id, flags)),
    );
}
