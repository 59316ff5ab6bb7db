import { command, commandGroup, required } from '@paymount/cli';
import { removeHookCommand, showHookCommand } from './hook-commands.ts';

/** `paymount hook ...` */
export const HOOK_GROUP = commandGroup('hook', 'show or remove the record that a hook is in use', [
  command({
    name: 'show',
    description:
      'show whether a hook is in use; if it is, processes without it do not record results',
    run: showHookCommand,
  }),
  command({
    name: 'remove',
    description:
      'let every process record results again, after you have removed the hook from your app',
    options: [required('--reason <text>', 'why; kept in the audit log')],
    run: removeHookCommand,
  }),
]);
