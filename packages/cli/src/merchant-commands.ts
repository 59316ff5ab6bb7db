import type { ApiFlags } from './api-settings.ts';
import {
  type AddCommand,
  type CommandShape,
  command,
  optional,
  repeatable,
} from './command-line/command.ts';
import { usage } from './command-line/command-failure.ts';
import { containsSecret } from './key-format.ts';
import { listenCommand } from './listen/listen-command.ts';
import { resendCommand } from './resend-command.ts';
import { triggerCommand } from './trigger-command.ts';

const ENDPOINT = [
  '--endpoint <id>',
  'send it only to this endpoint (we_...), even if it is not subscribed',
] as const;

/** The commands that use the API over HTTP, with a key of an account. */
export const MERCHANT_COMMANDS: readonly AddCommand[] = [
  overHttp({
    name: 'listen',
    description: 'forward events of the test environment to this machine; stop it with Ctrl-C',
    options: [
      optional('--forward-to <url>', 'URL on this machine: localhost, 127.0.0.1 or [::1]'),
      optional(
        '--types <types>',
        'only these event types, separated by commas: charge.*,payout.paid',
      ),
      optional('--print-secret', 'print the signing secret of the forwarded events, and exit'),
    ],
    run: listenCommand,
  }),
  overHttp({
    name: 'trigger <type>',
    description: 'create an event in the test environment, without a payment',
    options: [
      repeatable('--override <path=value>', 'a field of its object'),
      optional(
        '--object <id>',
        'existing test object for the event; without it, the object is invented',
      ),
      optional(...ENDPOINT),
    ],
    run: triggerCommand,
  }),
  overHttp({
    name: 'resend <event>',
    description: 'send an event (evt_...) again',
    options: [optional(...ENDPOINT)],
    run: resendCommand,
  }),
];

/** A command with the options of {@link ApiFlags}, which refuses a secret in any argument. */
function overHttp<Given extends readonly unknown[]>({
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
