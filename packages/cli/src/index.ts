// @paymount/cli: the commands of merchants' developers: listen, trigger, resend.
// They speak to a mount over HTTP with a key, as any other program would, and know nothing of
// its database. The package `paymount` carries them in its one command; of it, only the commands
// may import this.
// Start at `merchant-program.ts`, then `listen/listen-command.ts`.

export type { CliContext } from './cli-context.ts';
export { CommandFailure } from './command-failure.ts';
export { addMerchantCommands, type RunMerchant } from './merchant-program.ts';
