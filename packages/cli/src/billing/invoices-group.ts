import { commandGroup, optional } from '../command-line/command.ts';
import { overHttp } from '../over-http.ts';
import {
  finalizeInvoiceCommand,
  listInvoicesCommand,
  payInvoiceCommand,
  sendInvoiceCommand,
  showInvoiceCommand,
  voidInvoiceCommand,
} from './invoice-commands.ts';

/** `invoices ...` */
export const INVOICES_GROUP = commandGroup(
  'invoices',
  'list, show, finalize, send, pay and void invoices of an account',
  [
    overHttp({
      name: 'list',
      description: 'list invoices that are on no test clock, newest first',
      options: [
        optional(
          '--customer <id>',
          'only those of this customer (cus_...), on a test clock or not',
        ),
        optional(
          '--subscription <id>',
          'only those of this subscription (sub_...), on a test clock or not',
        ),
        optional('--test-clock <id>', 'only those on this test clock (clock_...)'),
        optional('--status <status>', 'only those in this status, such as open'),
        optional('--after <id>', 'the next page, after this invoice'),
      ],
      run: listInvoicesCommand,
    }),
    overHttp({
      name: 'show <id>',
      description: 'show an invoice (in_...) with its first lines',
      run: showInvoiceCommand,
    }),
    overHttp({
      name: 'finalize <id>',
      description: 'issue a draft: it gets its number, and its lines never change',
      options: [optional('--auto-advance', 'let a worker charge it')],
      run: finalizeInvoiceCommand,
    }),
    overHttp({
      name: 'pay <id>',
      description: 'charge an invoice now; a draft is issued first',
      options: [
        optional('--payment-method <id>', 'instead of the default (pm_...)'),
        optional('--out-of-band', 'record that it was paid elsewhere; nothing is charged'),
      ],
      run: payInvoiceCommand,
    }),
    overHttp({
      name: 'send <id>',
      description:
        'send the customer an e-mail with the link to an invoice; a draft is issued first',
      run: sendInvoiceCommand,
    }),
    overHttp({
      name: 'void <id>',
      description: 'void an invoice: nobody has to pay it',
      run: voidInvoiceCommand,
    }),
  ],
);
