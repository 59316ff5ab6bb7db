import { command, commandGroup, optional, repeatable, required } from '@paymount/cli';
import { REVOKED_REASONS } from '@paymount/core/access';
import {
  createKeyCommand,
  listKeysCommand,
  revokeKeyCommand,
  rotateKeyCommand,
  updateKeyCommand,
} from './key-commands.ts';

const ACCOUNT = required('--account <id>', 'account of the key (acct_...)');
const SCOPES = optional(
  '--scopes <scopes>',
  'scopes of a restricted key, separated by commas: charges:read,...',
);
const ALLOW_IP = repeatable(
  '--allow-ip <range>',
  'address or CIDR range from which the key may be used',
);

/** `paymount keys ...` */
export const KEYS_GROUP = commandGroup('keys', 'create and manage API keys', [
  command({
    name: 'create',
    description: 'create a key and print it; it is shown only once',
    options: [
      ACCOUNT,
      required('--environment <environment>', 'environment in which the key works', [
        'live',
        'test',
      ]),
      required('--type <type>', 'type of the key', ['secret', 'publishable', 'restricted']),
      required('--name <name>', 'name of the key'),
      SCOPES,
      optional(
        '--expires <when>',
        'when the key expires: a date, ISO 8601, or a duration such as 90d',
      ),
      ALLOW_IP,
    ],
    run: createKeyCommand,
  }),
  command({
    name: 'list',
    description: 'list the keys of an account, and when each was last used',
    options: [ACCOUNT],
    run: listKeysCommand,
  }),
  command({
    name: 'update <id>',
    description: 'change the name, scopes, addresses or expiry of a key',
    options: [
      optional('--name <name>', 'name of the key'),
      SCOPES,
      optional(
        '--expires <when>',
        'when the key expires: a date, ISO 8601, a duration such as 90d, now or never',
      ),
      ALLOW_IP,
      optional('--any-ip', 'allow every address again'),
      optional('--confirm-lockout', 'accept a list without addresses that used the key recently'),
    ],
    run: updateKeyCommand,
  }),
  command({
    name: 'rotate <id>',
    description: 'replace a key: create a new key and print it; it is shown only once',
    options: [
      optional(
        '--overlap <duration>',
        'how long the old key still works: 0s to 30d; without it, until you revoke it',
      ),
    ],
    run: rotateKeyCommand,
  }),
  command({
    name: 'revoke <id>',
    description: 'revoke a key permanently; it stops working everywhere within half a second',
    options: [
      optional('--reason <reason>', 'reason, kept in the audit log', {
        choices: REVOKED_REASONS,
        otherwise: 'admin',
      }),
    ],
    run: revokeKeyCommand,
  }),
]);
