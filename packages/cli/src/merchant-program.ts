import { toFailure } from './command-line/command-failure.ts';
import type { ProgramShape } from './command-line/program.ts';
import { containsSecret } from './key-format.ts';
import { MERCHANT_COMMANDS } from './merchant-commands.ts';

/** `paymount-cli`: only the merchants' commands, for developers who do not install the server. */
export const MERCHANT_PROGRAM: ProgramShape = {
  name: 'paymount-cli',
  description: 'Uses the events, subscriptions and invoices of an account over HTTP.',
  manifest: new URL('../package.json', import.meta.url),
  commands: MERCHANT_COMMANDS,
  // It repeats unknown arguments, such as --key=sk_...
  redact: (text) => (containsSecret(text) ? 'error: an argument holds a key or a secret' : text),
  describeFailure: toFailure,
};
