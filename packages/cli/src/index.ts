// @paymount/cli: the commands of merchants' developers: listen, trigger, resend, subscriptions, invoices. They use the API
// over HTTP with a key, like any other client, and do not access its database. The package
// `paymount` includes them in its command, and declares the operators' commands in the same way,
// with `command-line/`. In `paymount`, only the commands may import this package. Start at
// `merchant-commands.ts`, then `listen/listen-command.ts`.
export type { CliContext } from './command-line/cli-context.ts';
export {
  type AddCommand,
  command,
  commandGroup,
  optional,
  repeatable,
  required,
} from './command-line/command.ts';
export {
  CommandFailure,
  EXIT,
  type Failure,
  toFailure,
  usage,
} from './command-line/command-failure.ts';
export { type ProgramShape, runProgram } from './command-line/program.ts';
export { printable, table } from './command-line/table.ts';
export type { Terminal } from './command-line/terminal.ts';
export { MERCHANT_COMMANDS } from './merchant-commands.ts';
