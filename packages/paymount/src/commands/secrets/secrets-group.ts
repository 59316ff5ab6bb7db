import { command, commandGroup } from '@paymount/cli';
import { listSecretsCommand, rewrapSecretsCommand } from './secrets-commands.ts';

/** `paymount secrets ...` */
export const SECRETS_GROUP = commandGroup('secrets', 'show and re-encrypt the stored secrets', [
  command({
    name: 'list',
    description: 'count the secrets that each sealing key has encrypted',
    run: listSecretsCommand,
  }),
  command({
    name: 'rewrap',
    description: 'encrypt all secrets with the newest key, so that you can remove older keys',
    run: rewrapSecretsCommand,
  }),
]);
