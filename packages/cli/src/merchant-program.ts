import type { Command } from 'commander';
import type { ApiFlags } from './api-settings.ts';
import type { CliContext } from './cli-context.ts';
import { usage } from './command-failure.ts';
import { holdsSecret } from './key-format.ts';
import { type ListenFlags, listenCommand } from './listen/listen-command.ts';
import { type ResendFlags, resendCommand } from './resend-command.ts';
import { type TriggerFlags, triggerCommand } from './trigger-command.ts';

/** Runs a command, and keeps how it ended. */
export type RunMerchant = (work: (surroundings: CliContext) => Promise<number>) => Promise<void>;

/** Adds the commands that speak to a mount over HTTP, with a key of an account. */
export function addMerchantCommands(program: Command, run: RunMerchant): void {
  overHttp(program.command('listen'))
    .description('forward events of the test environment to this machine; stop it with Ctrl-C')
    .option('--forward-to <url>', 'URL on this machine: localhost, 127.0.0.1 or [::1]')
    .option('--types <types>', 'only these event types, separated by commas: charge.*,payout.paid')
    .option('--print-secret', 'print the signing secret of the forwarded events, and exit')
    .action((flags: ListenFlags) => run((surroundings) => listenCommand(flags, surroundings)));
  overHttp(program.command('trigger <type>'))
    .description('create an event in the test environment, without a payment')
    .option(
      '--override <path=value>',
      'a field of its object; may be given several times',
      (value: string, earlier: readonly string[] = []) => [...earlier, value],
    )
    .option(
      '--object <id>',
      'existing test object for the event; without it, the object is invented',
    )
    .option(
      '--endpoint <id>',
      'send it only to this endpoint (we_...), even if it is not subscribed',
    )
    .action((type: string, flags: TriggerFlags) =>
      run((surroundings) => triggerCommand(type, flags, surroundings)),
    );
  overHttp(program.command('resend <event>'))
    .description('send an event (evt_...) again')
    .option(
      '--endpoint <id>',
      'send it only to this endpoint (we_...), even if it is not subscribed',
    )
    .action((event: string, flags: ResendFlags) =>
      run((surroundings) => resendCommand(event, flags, surroundings)),
    );
}

/** The options of {@link ApiFlags}; and nothing that is secret, in whatever argument. */
function overHttp(command: Command): Command {
  command.hook('preAction', () => {
    const options: Readonly<Record<string, unknown>> = command.opts();
    const given = [...command.args, ...Object.values(options).flat()];
    if (given.some((value) => typeof value === 'string' && holdsSecret(value))) throw refused();
  });
  const flags: Readonly<Record<keyof ApiFlags, readonly [string, string]>> = {
    baseUrl: ['--base-url <url>', 'the address below which /v1 answers (else PAYMOUNT_BASE_URL)'],
    keyFile: ['--key-file <file>', 'a file that holds the key (else PAYMOUNT_API_KEY)'],
  };
  for (const [name, description] of Object.values(flags)) command.option(name, description);
  return command;
}

/** Echoes nothing. */
function refused(): Error {
  return usage(
    'An argument holds what looks like a key or a secret. Command lines are seen by others and kept by shells: revoke it, and put the next one into PAYMOUNT_API_KEY or the file of --key-file.',
  );
}
