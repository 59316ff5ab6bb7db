import type { ApiFlags } from './api-settings.ts';
import { type AddCommand, type CommandShape, command, optional } from './command-line/command.ts';
import { usage } from './command-line/command-failure.ts';
import { containsSecret } from './key-format.ts';

/** A command with the options of {@link ApiFlags}, which refuses a secret in any argument. */
export function overHttp<Given extends readonly unknown[]>({
  options = [],
  ...shape
}: CommandShape<Given>): AddCommand {
  const api: Readonly<Record<keyof ApiFlags, readonly [string, string]>> = {
    baseUrl: ['--base-url <url>', 'the address below which /v1 answers (else PAYMOUNT_BASE_URL)'],
    keyFile: ['--key-file <file>', 'a file that holds the key (else PAYMOUNT_API_KEY)'],
  };
  const common = Object.values(api).map(([flags, description]) => optional(flags, description));
  return command({ ...shape, options: [...common, ...options], check: assertNoSecrets });
}

/** Does not repeat its input. */
function assertNoSecrets(values: readonly string[]): void {
  if (!values.some(containsSecret)) return;
  throw usage(
    'An argument holds what looks like a key or a secret. Other users can see command lines, and shells store them: revoke it, and put the new one into PAYMOUNT_API_KEY or the file of --key-file.',
  );
}
