import { post, read } from '../api-client.ts';
import { type ApiFlags, readApiSettings } from '../api-settings.ts';
import type { CliContext } from '../command-line/cli-context.ts';
import { EXIT, usage } from '../command-line/command-failure.ts';
import { table } from '../command-line/table.ts';
import { stringField } from '../json-value.ts';
import { plainText } from '../plain-text.ts';
import { idOf, itemsIn, shown, toFields } from './billing-lines.ts';

type Json = Readonly<Record<string, unknown>>;

const PATH = '/v1/invoices';
const HEADS = ['ID', 'NUMBER', 'STATUS', 'CUSTOMER', 'SUBSCRIPTION', 'REMAINING', 'DUE'];

export interface InvoiceListFlags extends ApiFlags {
  readonly customer?: string;
  readonly subscription?: string;
  readonly testClock?: string;
  readonly status?: string;
  /** The last id of the page before. */
  readonly after?: string;
}

/** `invoices list`: a page, newest first. @throws CommandFailure */
export async function listInvoicesCommand(
  context: CliContext,
  { customer, subscription, testClock, status, after, ...flags }: InvoiceListFlags,
): Promise<number> {
  const settings = readApiSettings(flags, context);
  const asked = { customer, subscription, test_clock: testClock, status, starting_after: after };
  const list = await read(settings, PATH, asked);
  const items = itemsIn(list);
  context.report(
    list,
    items.length === 0 ? ['There is no such invoice.'] : table(HEADS, items.map(toRow)),
  );
  const last = items.at(-1);
  if (list['has_more'] === true && last) {
    context.printNote(`There are more: --after ${plainText(stringField(last, 'id'))}`);
  }
  return EXIT.done;
}

/** `invoices show`. @throws CommandFailure */
export async function showInvoiceCommand(
  context: CliContext,
  id: string,
  flags: ApiFlags,
): Promise<number> {
  const settings = readApiSettings(flags, context);
  const invoice = await read(settings, pathOf(id));
  context.report(invoice, toFields(invoice, { name: 'lines', line: toLine }));
  return EXIT.done;
}

/** `invoices finalize`: it gets its number, and its lines never change. @throws CommandFailure */
export async function finalizeInvoiceCommand(
  context: CliContext,
  id: string,
  { autoAdvance, ...flags }: ApiFlags & { readonly autoAdvance?: true },
): Promise<number> {
  const asked = autoAdvance === undefined ? {} : { auto_advance: true };
  return act(context, { id, action: 'finalize', body: asked, flags });
}

export interface InvoicePayFlags extends ApiFlags {
  readonly paymentMethod?: string;
  readonly outOfBand?: true;
}

/** `invoices pay`: charges it, or records that it was paid elsewhere. @throws CommandFailure */
export async function payInvoiceCommand(
  context: CliContext,
  id: string,
  { paymentMethod, outOfBand, ...flags }: InvoicePayFlags,
): Promise<number> {
  const body = {
    ...(paymentMethod !== undefined && { payment_method: paymentMethod }),
    ...(outOfBand && { paid_out_of_band: true }),
  };
  return act(context, { id, action: 'pay', body, flags });
}

/** `invoices void`: nobody has to pay it. @throws CommandFailure */
export async function voidInvoiceCommand(
  context: CliContext,
  id: string,
  flags: ApiFlags,
): Promise<number> {
  return act(context, { id, action: 'void', body: {}, flags });
}

/** `invoices send`: an e-mail with its link goes to the customer, also again. @throws CommandFailure */
export async function sendInvoiceCommand(
  context: CliContext,
  id: string,
  flags: ApiFlags,
): Promise<number> {
  return act(context, { id, action: 'send', body: {}, flags });
}

async function act(
  context: CliContext,
  {
    id,
    action,
    body,
    flags,
  }: {
    readonly id: string;
    readonly action: string;
    readonly body: object;
    readonly flags: ApiFlags;
  },
): Promise<number> {
  const settings = readApiSettings(flags, context);
  const invoice = await post(settings, `${pathOf(id)}/${action}`, body);
  const named = `${shown(invoice, 'id')} (${shown(invoice, 'number')})`;
  context.report(invoice, [plainText(`${named} is ${shown(invoice, 'status')}.`)]);
  return EXIT.done;
}

function pathOf(id: string): string {
  if (!/^in_\w{1,64}$/.test(id)) throw usage('An invoice has an id such as in_...');
  return `${PATH}/${id}`;
}

function toRow(invoice: Json): readonly string[] {
  return [
    shown(invoice, 'id'),
    shown(invoice, 'number'),
    shown(invoice, 'status'),
    idOf(invoice, 'customer'),
    shown(invoice, 'subscription'),
    `${shown(invoice, 'amount_remaining')} ${shown(invoice, 'currency')}`,
    shown(invoice, 'due_date'),
  ];
}

/** `-500 eur  Unused time on Basic`. */
function toLine(line: Json): string {
  return `${shown(line, 'amount')} ${shown(line, 'currency')}  ${shown(line, 'description')}`;
}
