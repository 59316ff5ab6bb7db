import { INVOICES_GROUP } from './billing/invoices-group.ts';
import { SUBSCRIPTIONS_GROUP } from './billing/subscriptions-group.ts';
import { type AddCommand, optional, repeatable } from './command-line/command.ts';
import { listenCommand } from './listen/listen-command.ts';
import { overHttp } from './over-http.ts';
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
  SUBSCRIPTIONS_GROUP,
  INVOICES_GROUP,
];
