import type { PriceId, SubscriptionItemId } from '../../kernel/basics/id.ts';
import type { Invoice } from '../invoices/invoice.ts';
import type { InvoiceLine } from '../invoices/invoice-lines.ts';
import type { PriceReader, ProductReader } from '../prices/price-repository.ts';
import { toUnbilled } from './bill-period.ts';
import type { LineDraft } from './billing-decision.ts';
import { creditItems } from './prorate-items.ts';
import type {
  BilledTime,
  CurrentPeriod,
  PricedItem,
  Subscription,
  SubscriptionItem,
} from './subscription.ts';

/** An invoice, or lines as they would be on one. */
type BilledLines = Pick<Invoice, 'lines' | 'periodIndex' | 'periodStart'>;

/** Prices with the names of their products. */
type Sold = ReadonlyMap<PriceId, Pick<PricedItem, 'name' | 'unitAmount'>>;

/** What was billed of the current period before an invoice that became void. */
export interface BilledBefore {
  /** Of each item that the invoice billed; null: nothing. */
  readonly items: ReadonlyMap<SubscriptionItemId, BilledTime | null>;
  /** Up to when the period was billed. */
  readonly billedUntil: Date;
}

/** Whether an invoice bills time of the current period. Lines of a period that was cut may reach into it. */
export function isOfCurrentPeriod(
  { period }: Pick<Subscription, 'period'>,
  {
    periodIndex,
    changedIndex,
    periodStart,
  }: Pick<Invoice, 'periodIndex' | 'changedIndex' | 'periodStart'>,
): boolean {
  const index = periodIndex ?? changedIndex;
  // A process of the previous version does not say in which period a change was; two may begin in one second.
  if (index !== undefined) return index === period.index;
  return periodStart.getTime() === period.start.getTime();
}

/** The prices of which an invoice gave time back. */
export async function soldBefore(
  { prices, products }: { readonly prices: PriceReader; readonly products: ProductReader },
  { accountId, environment, lines }: Invoice,
): Promise<Sold> {
  const ids = new Set(lines.filter(isCredit).flatMap(({ priceId }) => priceId ?? []));
  if (ids.size === 0) return new Map();
  const owner = { accountId, environment };
  const found = await prices.findMany(owner, [...ids]);
  const named = await products.findMany(owner, [...new Set(found.map((each) => each.productId))]);
  const names = new Map(named.map(({ id, name }) => [id, name]));
  return new Map(
    found.map(({ id, unitAmount, productId }) => [
      id,
      { unitAmount, name: names.get(productId) ?? '' },
    ]),
  );
}

/**
 * What was billed before an invoice that became void. The invoice of a period billed all of it. That of changes
 * within a period gave back what was billed before the first of them, so its credits say what that was.
 * @param sold as `soldBefore` returns
 */
export function billedBefore(
  { period, items }: Pick<Subscription, 'period' | 'items'>,
  invoice: BilledLines,
  sold: Sold,
): BilledBefore {
  const none = { items: new Map(), billedUntil: period.billedUntil };
  if (!isOfCurrentPeriod({ period }, invoice)) return none;
  const before = new Map<SubscriptionItemId, BilledTime | null>();
  let { billedUntil } = period;
  for (const item of items) {
    const lines = linesOf(invoice, item, period);
    if (invoice.periodIndex !== null) {
      if (lines.length > 0) before.set(item.id, null);
      continue;
    }
    const extensions = lines.filter((line) => isExtension(line, item, lines));
    const changes = lines.filter((line) => !extensions.includes(line));
    if (changes.length > 0) before.set(item.id, billedBy(changes, sold));
    for (const { period: time } of extensions) {
      billedUntil = earlierOf(billedUntil, new Date(time.start));
    }
  }
  return { items: before, billedUntil };
}

/**
 * What an invoice of changes gave back for time that ended, and that is not given back after it became void: an
 * item was removed, or the subscription has ended. What was billed before gives back the rest from then on. The
 * invoice of a period that began early gave back the rest of the one before.
 * @param subscription before or after the invoice became void
 * @param sold as `soldBefore` returns
 */
export function creditsLost(
  subscription: Subscription,
  invoice: Invoice,
  sold: Sold,
): readonly LineDraft[] {
  const { period, items, status } = subscription;
  if (invoice.periodIndex !== null) return creditsOfEarlier(invoice);
  if (!isOfCurrentPeriod({ period }, invoice)) return [];
  const isOver = status === 'canceled';
  const kept = new Set(isOver ? [] : items.map(({ id }) => id));
  const ids = new Set(invoice.lines.flatMap((line) => line.subscriptionItemId ?? []));
  return [...ids].flatMap((id) => {
    if (kept.has(id)) return [];
    const lines = linesOf(invoice, { id }, period);
    const last = lines.slice(lines.findLastIndex((line) => !isCredit(line)) + 1);
    const billed = billedBy(lines, sold);
    const [first] = last;
    if (first === undefined || billed === null) return [];
    const gone = { ...billed, id, created: period.start, metadata: {}, billed };
    return creditItems({ ...subscription, items: [gone] }, new Date(first.period.start));
  });
}

/** The credits of the invoice of a period are for the rest of the one before, so they name no item of this one. */
function creditsOfEarlier({ lines }: Invoice): readonly LineDraft[] {
  return lines
    .filter((line) => isCredit(line) && line.invoiceItemId === null)
    .map(({ id: _, ...line }) => ({ ...line, subscriptionItemId: null }));
}

/** What is billed of the current period after an invoice became void. */
export function unbilledBy(
  { items, period }: Pick<Subscription, 'items' | 'period'>,
  before: BilledBefore,
): Pick<Subscription, 'items' | 'period'> {
  return {
    period: { ...period, billedUntil: before.billedUntil },
    items: items.map((item) => {
      const billed = before.items.get(item.id);
      if (billed === undefined) return item;
      return billed === null ? toUnbilled(item) : { ...item, billed };
    }),
  };
}

/** The lines for time of the current period, in the order of the changes: what waited is older. */
function linesOf(
  { lines }: Pick<Invoice, 'lines'>,
  { id }: Pick<SubscriptionItem, 'id'>,
  { start }: CurrentPeriod,
): readonly InvoiceLine[] {
  const from = start.toISOString();
  const own = lines.filter(
    ({ subscriptionItemId, period }) => subscriptionItemId === id && period.end > from,
  );
  const isNew = ({ invoiceItemId }: InvoiceLine) => invoiceItemId === null;
  return [...own.filter((line) => !isNew(line)), ...own.filter(isNew)];
}

/** Whether a line bills time that was left out because an end was expected: no price changed then. */
function isExtension(
  line: InvoiceLine,
  { billed }: SubscriptionItem,
  lines: readonly InvoiceLine[],
): boolean {
  const { start } = line.period;
  if (isCredit(line) || billed === null || start <= billed.since.toISOString()) return false;
  return lines.every((other) => !isCredit(other) || other.period.start !== start);
}

/**
 * What the credits of the first change gave back, each from the end of the one before on. A first line that is a
 * debit changed what was not billed, or cost nothing.
 */
function billedBy([first, ...others]: readonly InvoiceLine[], sold: Sold): BilledTime | null {
  if (first === undefined || !isCredit(first)) return null;
  const { priceId, quantity, period } = first;
  const price = priceId === null ? undefined : sold.get(priceId);
  if (priceId === null || price === undefined) return null;
  const billed = { priceId, ...price, quantity, since: new Date(period.start) };
  const later = others[0]?.period.start === period.end ? billedBy(others, sold) : null;
  return later === null ? billed : { ...billed, later };
}

function isCredit({ amount, isProration }: InvoiceLine): boolean {
  return isProration && amount < 0;
}

function earlierOf(one: Date, other: Date): Date {
  return one < other ? one : other;
}
