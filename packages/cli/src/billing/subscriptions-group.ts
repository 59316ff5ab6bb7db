import { commandGroup, optional } from '../command-line/command.ts';
import { overHttp } from '../over-http.ts';
import {
  cancelSubscriptionCommand,
  listSubscriptionsCommand,
  showSubscriptionCommand,
} from './subscription-commands.ts';

/** `subscriptions ...` */
export const SUBSCRIPTIONS_GROUP = commandGroup(
  'subscriptions',
  'list, show and cancel subscriptions of an account',
  [
    overHttp({
      name: 'list',
      description: 'list subscriptions that are not canceled and on no test clock, newest first',
      options: [
        optional(
          '--customer <id>',
          'only those of this customer (cus_...), on a test clock or not',
        ),
        optional('--price <id>', 'only those with an item of this price (price_...)'),
        optional('--test-clock <id>', 'only those on this test clock (clock_...)'),
        optional('--status <status>', 'only those in this status; all, ended: also canceled ones'),
        optional('--after <id>', 'the next page, after this subscription'),
      ],
      run: listSubscriptionsCommand,
    }),
    overHttp({
      name: 'show <id>',
      description: 'show a subscription (sub_...) with its items',
      run: showSubscriptionCommand,
    }),
    overHttp({
      name: 'cancel <id>',
      description: 'end a subscription now; its open invoices become void',
      options: [
        optional('--at-period-end', 'end it with the current period'),
        optional('--prorate', 'give back the time that is not used'),
        optional('--invoice-now', 'invoice what waits, and leave open invoices open'),
        optional('--comment <text>', 'what the customer said'),
      ],
      run: cancelSubscriptionCommand,
    }),
  ],
);
