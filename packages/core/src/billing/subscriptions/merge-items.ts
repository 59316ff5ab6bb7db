import { newId, parseId } from '../../kernel/basics/id.ts';
import { missing } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { mergeMetadata } from '../../kernel/input/metadata.ts';
import type { Price, Recurring } from '../prices/price.ts';
import { type ItemsChange, MAX_ITEMS, type NextItem, type Subscription } from './subscription.ts';
import type { ItemInput } from './subscription-input.ts';
import { assertItemAmounts } from './subscription-rules.ts';

/** A price, and the name of its product. */
export interface SoldPrice extends Price {
  readonly name: string;
}

/** One entry of `items`: what the caller sent, and what its `price` or `price_data` names. */
export interface ItemEntry extends Pick<ItemInput, 'id' | 'deleted' | 'quantity' | 'metadata'> {
  /** Absent: the item keeps its price. */
  readonly price?: SoldPrice;
}

/** What items are merged into; a new subscription has none. */
export type ItemsBefore = Pick<Subscription, 'currency' | 'items' | 'calendar' | 'pendingUpdate'>;

/**
 * The items that a subscription is to have, and their interval. An entry with an id changes or removes that
 * item; one without an id adds one. A new price begins with the quantity 1 unless one is sent. All items must
 * have one interval, so a new one needs every item to change.
 * @param before absent: a new subscription
 * @param at the time of the request
 * @throws PaymountError `resource_missing` for an item, `parameter_missing` for an entry without a price,
 *   `price_inactive`, `price_not_recurring`, `price_interval_mismatch`, `subscription_currency_mismatch`,
 *   `subscription_item_exists`, `subscription_item_required`, `subscription_item_limit_reached`,
 *   `amount_too_large`, `metadata_limit_exceeded`, each with the entry in `param`
 */
export function mergeItems(
  before: ItemsBefore | undefined,
  entries: readonly ItemEntry[],
  at: Date,
): ItemsChange & { readonly currency: string } {
  const merged: Merged[] = (before?.items ?? []).map((item) => ({ item: toNextItem(item) }));
  entries.forEach((entry, number) => {
    mergeEntry(merged, entry, { path: `items[${number}]`, at });
  });
  if (merged.length === 0) {
    throw new PaymountError('subscription_item_required', undefined, { param: 'items' });
  }
  if (merged.length > MAX_ITEMS) {
    throw new PaymountError('subscription_item_limit_reached', undefined, { param: 'items' });
  }
  const currency = oneCurrency(merged, before?.currency);
  const interval = oneInterval(merged, before);
  const items = merged.map(({ item }) => item);
  assertItemAmounts(items);
  return { items, ...interval, currency };
}

/** An item, and the price that an entry gave it. */
interface Merged {
  readonly item: NextItem;
  readonly price?: SoldPrice;
  readonly path?: string;
}

/** Applies an entry to the list. */
function mergeEntry(
  merged: Merged[],
  entry: ItemEntry,
  { path, at }: { readonly path: string; readonly at: Date },
): void {
  const { id: text, price } = entry;
  if (price !== undefined) assertSold(merged, entry, price, path);
  if (text === undefined) {
    merged.push(newItem(entry, path, at));
    return;
  }
  const id = parseId('si', text);
  const found = merged.findIndex(({ item }) => item.id === id);
  const stored = merged[found];
  if (stored === undefined) throw missing('subscription item', text, `${path}[id]`);
  if (entry.deleted) {
    merged.splice(found, 1);
    return;
  }
  const { item } = stored;
  const isOther = price !== undefined && price.id !== item.priceId;
  const next = {
    ...item,
    quantity: entry.quantity ?? (isOther ? 1 : item.quantity),
    metadata: mergeMetadata(item.metadata, entry.metadata, `${path}[metadata]`),
    ...(isOther && { priceId: price.id, name: price.name, unitAmount: price.unitAmount }),
  };
  merged[found] = { ...stored, item: next, ...(price !== undefined && { price, path }) };
}

function newItem(entry: ItemEntry, path: string, at: Date): Merged {
  const { price } = entry;
  if (price === undefined) {
    const message =
      'Send price, the id of a recurring price, or price_data; or id, to change an item.';
    throw new PaymountError('parameter_missing', message, { param: `${path}[price]` });
  }
  const item: NextItem = {
    id: newId('si'),
    created: at,
    priceId: price.id,
    name: price.name,
    unitAmount: price.unitAmount,
    quantity: entry.quantity ?? 1,
    metadata: mergeMetadata({}, entry.metadata, `${path}[metadata]`),
  };
  return { item, price, path };
}

/** A price that an item may get. One that the item already has may be inactive. */
function assertSold(
  merged: readonly Merged[],
  entry: ItemEntry,
  price: SoldPrice,
  path: string,
): void {
  const param = `${path}[price]`;
  const holder = merged.find(({ item }) => item.priceId === price.id)?.item;
  if (holder !== undefined && holder.id !== entry.id) {
    const message = `Item ${holder.id} already has price ${price.id}; send its id with the new quantity.`;
    throw new PaymountError('subscription_item_exists', message, { param });
  }
  if (price.recurring === null) {
    const message = `Price ${price.id} is charged once; use a recurring price, or an invoice item.`;
    throw new PaymountError('price_not_recurring', message, { param });
  }
  if (price.active || holder !== undefined) return;
  const message = `Price ${price.id} is not active; activate it, or use another one.`;
  throw new PaymountError('price_inactive', message, { param });
}

/** @throws PaymountError `subscription_currency_mismatch` */
function oneCurrency(merged: readonly Merged[], stored: string | undefined): string {
  let currency = stored;
  for (const { price, path } of merged) {
    if (price === undefined) continue;
    currency ??= price.currency;
    if (price.currency === currency) continue;
    const message = `Price ${price.id} is in ${price.currency}, and the subscription is in ${currency}.`;
    throw new PaymountError('subscription_currency_mismatch', message, { param: `${path}[price]` });
  }
  if (currency === undefined) throw new RangeError('A new item has a price.');
  return currency;
}

/**
 * The interval of all items: of the prices that the entries gave, if there is one for each item that has
 * another.
 * @throws PaymountError `price_interval_mismatch`
 */
function oneInterval(
  merged: readonly Merged[],
  before: ItemsBefore | undefined,
): Pick<Recurring, 'interval' | 'intervalCount'> {
  const stored = before?.calendar;
  const first = merged.find(({ price }) => price !== undefined)?.price?.recurring ?? stored;
  if (first === undefined) throw new RangeError('A new item has a price.');
  const { interval, intervalCount } = first;
  for (const { item, price, path } of merged) {
    const own = price?.recurring ?? stored ?? first;
    if (own.interval === interval && own.intervalCount === intervalCount) continue;
    const message = `Price ${item.priceId} is charged every ${describe(own)}, and another item every ${describe(first)}; all items need one interval.`;
    throw new PaymountError('price_interval_mismatch', message, {
      param: path === undefined ? 'items' : `${path}[price]`,
    });
  }
  return { interval, intervalCount };
}

function describe({
  interval,
  intervalCount: count,
}: Pick<Recurring, 'interval' | 'intervalCount'>): string {
  return count === 1 ? interval : `${count} ${interval}s`;
}

function toNextItem({ billed: _, ...item }: Subscription['items'][number]): NextItem {
  return item;
}
