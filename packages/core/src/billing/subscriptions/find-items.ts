import type { Owner } from '../../kernel/basics/environment.ts';
import { newId, parseId } from '../../kernel/basics/id.ts';
import { findOrThrow } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { assertInForce } from '../../kernel/input/currency.ts';
import { findLiveProduct } from '../prices/find-product.ts';
import type { Price } from '../prices/price.ts';
import type { PriceWrite } from '../prices/price-storage.ts';
import { changedProduct, MAX_PRICES } from '../prices/product.ts';
import type { ItemEntry, SoldPrice } from './merge-items.ts';
import type { ItemInput } from './subscription-input.ts';
import type { SubscriptionRepositories } from './subscription-storage.ts';

/** Entries of `items` with the prices that they name, and the rows of prices that are made with them. */
export interface FoundItems {
  readonly entries: readonly ItemEntry[];
  readonly writes: readonly PriceWrite[];
}

/**
 * Finds the prices of the items of a request, or makes those of `price_data`, whose products it locks.
 * @throws PaymountError `resource_missing`, `product_inactive`, `price_limit_reached`, `invalid_currency`, each
 *   with the entry in `param`
 */
export async function findItems(
  rows: Pick<SubscriptionRepositories, 'prices' | 'products'>,
  owner: Owner,
  { items, at }: { readonly items: readonly ItemInput[]; readonly at: Date },
): Promise<FoundItems> {
  await lockProducts(rows, owner, items);
  const entries: ItemEntry[] = [];
  const writes: PriceWrite[] = [];
  for (const [index, input] of items.entries()) {
    const { price: name, price_data: data, id, deleted, quantity, metadata } = input;
    const param = `items[${index}]`;
    const made =
      data &&
      (await madePrice(rows, owner, { data, at, param: `${param}[price_data]`, before: writes }));
    if (made) writes.push({ kind: 'price', mode: 'insert', row: made });
    const price =
      made ?? (name === undefined ? undefined : await findPrice(rows, owner, name, param));
    entries.push({
      ...(id !== undefined && { id }),
      ...(deleted !== undefined && { deleted }),
      ...(quantity !== undefined && { quantity }),
      ...(metadata !== undefined && { metadata }),
      ...(price !== undefined && { price }),
    });
  }
  return { entries, writes };
}

/** In the order of their ids, so that of two requests with the same products one waits for the other. */
async function lockProducts(
  { products }: Pick<SubscriptionRepositories, 'products'>,
  owner: Owner,
  items: readonly ItemInput[],
): Promise<void> {
  const ids = new Set(
    items.flatMap(({ price_data: data }) => parseId('prod', data?.product) ?? []),
  );
  for (const id of [...ids].sort()) await products.findForUpdate(owner, id);
}

async function findPrice(
  { prices, products }: Pick<SubscriptionRepositories, 'prices' | 'products'>,
  owner: Owner,
  name: string,
  param: string,
): Promise<SoldPrice> {
  const asked = { noun: 'price', prefix: 'price', param: `${param}[price]` } as const;
  const price = await findOrThrow(asked, name, (id) => prices.find(owner, id));
  const product = await products.find(owner, price.productId);
  return { ...price, name: product?.name ?? '' };
}

/** A price that is made with its item counts for its product no less than any other. */
async function madePrice(
  { products }: Pick<SubscriptionRepositories, 'products'>,
  owner: Owner,
  {
    data,
    at,
    param,
    before,
  }: {
    readonly data: NonNullable<ItemInput['price_data']>;
    readonly at: Date;
    readonly param: string;
    /** What is made for the entries before. */
    readonly before: readonly PriceWrite[];
  },
): Promise<SoldPrice> {
  assertInForce(data.currency, at, `${param}[currency]`);
  const find = products.find.bind(products);
  const product = await findLiveProduct(find, owner, data.product, `${param}[product]`);
  if (!product.active) {
    const message = `Product ${product.id} is not active; activate it first.`;
    throw new PaymountError('product_inactive', message, { param: `${param}[product]` });
  }
  const isOfIt = (write: PriceWrite) =>
    write.kind === 'price' && write.row.productId === product.id;
  if (product.priceCount + before.filter(isOfIt).length >= MAX_PRICES) {
    throw new PaymountError('price_limit_reached', undefined, { param: `${param}[product]` });
  }
  const { interval, interval_count: count = 1, trial_period_days: days = null } = data.recurring;
  const price: Price = {
    ...owner,
    id: newId('price'),
    version: 1,
    productId: product.id,
    currency: data.currency,
    unitAmount: data.unit_amount,
    recurring: { interval, intervalCount: count, trialPeriodDays: days },
    active: true,
    lookupKey: null,
    nickname: null,
    metadata: {},
    created: at,
  };
  return { ...price, name: product.name };
}

/** What a change writes of new prices: first their products, each with the number of them. */
export async function priceWrites(
  rows: Pick<SubscriptionRepositories, 'products'>,
  owner: Owner,
  made: FoundItems['writes'] = [],
): Promise<readonly PriceWrite[]> {
  return [...(await countedProducts(rows, owner, made)), ...made];
}

async function countedProducts(
  { products }: Pick<SubscriptionRepositories, 'products'>,
  owner: Owner,
  made: FoundItems['writes'],
): Promise<readonly PriceWrite[]> {
  const prices = made.flatMap((write) => (write.kind === 'price' ? [write.row] : []));
  const writes: PriceWrite[] = [];
  for (const id of new Set(prices.map(({ productId }) => productId))) {
    const product = await products.find(owner, id);
    if (product === undefined) continue;
    const count = prices.filter(({ productId }) => productId === id).length;
    const row = { ...changedProduct(product, {}), priceCount: product.priceCount + count };
    writes.push({ kind: 'product', mode: 'update', row });
  }
  return writes;
}
