// @paymount/cli: the commands of merchants' developers: listen, trigger, resend. They speak to a
// mount over HTTP with a key, as any other program would, and know nothing of its database.
// The package `paymount` carries them in its one command, and declares the operators' commands in the
// same shape, which is here: `command-line/`. Of it, only the commands may import this.
// Start at `merchant-commands.ts`, then `listen/listen-command.ts`.
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
export type { Terminal } from './command-line/terminal.ts';
export { MERCHANT_COMMANDS } from './merchant-commands.ts';
