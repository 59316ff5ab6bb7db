import { post, read, remove } from '../api-client.ts';
import { type ApiFlags, readApiSettings } from '../api-settings.ts';
import type { CliContext } from '../command-line/cli-context.ts';
import { EXIT, usage } from '../command-line/command-failure.ts';
import { table } from '../command-line/table.ts';
import { isObject, stringField } from '../json-value.ts';
import { plainText } from '../plain-text.ts';
import { idOf, itemsIn, shown, toFields } from './billing-lines.ts';

type Json = Readonly<Record<string, unknown>>;

const PATH = '/v1/subscriptions';
const HEADS = ['ID', 'STATUS', 'CUSTOMER', 'PERIOD ENDS', 'SUBSCRIPTION ENDS', 'NEXT ATTEMPT'];

export interface SubscriptionListFlags extends ApiFlags {
  readonly customer?: string;
  readonly price?: string;
  readonly testClock?: string;
  readonly status?: string;
  /** The last id of the page before. */
  readonly after?: string;
}

/** `subscriptions list`: a page, newest first. @throws CommandFailure */
export async function listSubscriptionsCommand(
  context: CliContext,
  { customer, price, testClock, status, after, ...flags }: SubscriptionListFlags,
): Promise<number> {
  const settings = readApiSettings(flags, context);
  const asked = { customer, price, test_clock: testClock, status, starting_after: after };
  const list = await read(settings, PATH, asked);
  const items = itemsIn(list);
  context.report(
    list,
    items.length === 0 ? ['There is no such subscription.'] : table(HEADS, items.map(toRow)),
  );
  const last = items.at(-1);
  if (list['has_more'] === true && last) {
    context.printNote(`There are more: --after ${plainText(stringField(last, 'id'))}`);
  }
  return EXIT.done;
}

/** `subscriptions show`. @throws CommandFailure */
export async function showSubscriptionCommand(
  context: CliContext,
  id: string,
  flags: ApiFlags,
): Promise<number> {
  const settings = readApiSettings(flags, context);
  const subscription = await read(settings, pathOf(id));
  context.report(subscription, toFields(subscription, { name: 'items', line: toItemLine }));
  return EXIT.done;
}

export interface SubscriptionCancelFlags extends ApiFlags {
  readonly atPeriodEnd?: true;
  readonly prorate?: true;
  readonly invoiceNow?: true;
  readonly comment?: string;
}

/** `subscriptions cancel`: now, or with the current period. @throws CommandFailure */
export async function cancelSubscriptionCommand(
  context: CliContext,
  id: string,
  { atPeriodEnd, prorate, invoiceNow, comment, ...flags }: SubscriptionCancelFlags,
): Promise<number> {
  const settings = readApiSettings(flags, context);
  const path = pathOf(id);
  if (atPeriodEnd && (prorate || invoiceNow)) {
    throw usage('At the end of its period nothing is left to prorate or to invoice.');
  }
  const details = comment === undefined ? {} : { cancellation_details: { comment } };
  const ended = atPeriodEnd
    ? await post(settings, path, { cancel_at_period_end: true, ...details })
    : await remove(settings, path, {
        ...(prorate && { prorate }),
        ...(invoiceNow && { invoice_now: true }),
        ...details,
      });
  const when = atPeriodEnd
    ? `ends with its period, ${shown(ended, 'current_period_end')}`
    : `is ${shown(ended, 'status')}`;
  context.report(ended, [plainText(`${shown(ended, 'id')} ${when}.`)]);
  return EXIT.done;
}

function pathOf(id: string): string {
  if (!/^sub_\w{1,64}$/.test(id)) throw usage('A subscription has an id such as sub_...');
  return `${PATH}/${id}`;
}

function toRow(subscription: Json): readonly string[] {
  const { dunning } = subscription;
  const isWithPeriod = subscription['cancel_at_period_end'] === true;
  const end = isWithPeriod ? 'current_period_end' : 'cancel_at';
  return [
    shown(subscription, 'id'),
    shown(subscription, 'status'),
    idOf(subscription, 'customer'),
    shown(subscription, 'current_period_end'),
    shown(subscription, subscription['ended_at'] === null ? end : 'ended_at'),
    isObject(dunning) ? shown(dunning, 'next_attempt_at') : '-',
  ];
}

/** `2 x price_... (1000 eur)`; the amount is of one unit. */
function toItemLine(item: Json): string {
  const price = isObject(item['price']) ? item['price'] : {};
  const amount = `${shown(price, 'unit_amount')} ${shown(price, 'currency')}`;
  return `${shown(item, 'quantity')} x ${shown(price, 'id')} (${amount})`;
}
