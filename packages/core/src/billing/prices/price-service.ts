import { applyIn } from '../../changes/commit.ts';
import { resourceFields } from '../../changes/idempotency/idempotency-fields.ts';
import type { Owner } from '../../kernel/basics/environment.ts';
import { newId, parseId } from '../../kernel/basics/id.ts';
import { ownerOf } from '../../kernel/callers/call.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { findOrThrow, idsAmong, missing } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import { assertInForce } from '../../kernel/input/currency.ts';
import { mergeMetadata } from '../../kernel/input/metadata.ts';
import type { Page, PageRequest } from '../../kernel/input/page.ts';
import { mergedText } from '../../payments/contacts/contact-input.ts';
import { findLiveProduct } from './find-product.ts';
import { changedPrice, type Price, type PriceEdit } from './price.ts';
import type { PriceCreate, PriceUpdate } from './price-input.ts';
import type { PriceFilter } from './price-repository.ts';
import { toPriceResource } from './price-resource.ts';
import type { PriceRepositories, PriceWrite } from './price-storage.ts';
import {
  BLANK_PRODUCT,
  changedProduct,
  MAX_PRICES,
  newProduct,
  type Product,
  type ProductEdit,
} from './product.ts';
import { mergeProduct } from './product-input.ts';
import type { ProductPorts } from './product-service.ts';

const NAME = { noun: 'price', prefix: 'price' } as const;
const BLANK: PriceEdit = { active: true, lookupKey: null, nickname: null, metadata: {} };

/** What products cost. */
export class PriceService {
  readonly #ports: ProductPorts;

  constructor(ports: ProductPorts) {
    this.#ports = ports;
  }

  /**
   * Makes a price of a product, or of a new one.
   * @throws PaymountError `parameters_exclusive`, `parameter_missing` without a product,
   *   `resource_missing`, `product_inactive`, `price_limit_reached`, `invalid_currency`,
   *   `resource_already_exists` for the lookup key of another price, `metadata_limit_exceeded`
   */
  async create(call: Call, input: PriceCreate): Promise<Price> {
    const owner = ownerOf(call);
    const at = this.#ports.clock.now();
    assertInForce(input.currency, at, 'currency');
    const edit = mergePrice(BLANK, input);
    const data = mergeProduct(BLANK_PRODUCT, input.product_data ?? {}, 'product_data[metadata]');
    assertOneProduct(input);
    return this.#ports.storage.transaction(async (rows) => {
      const product = await this.#holdProduct(rows, owner, { name: input.product, data, at });
      if (product.row.priceCount >= MAX_PRICES) throw new PaymountError('price_limit_reached');
      const row: Price = {
        ...owner,
        ...edit,
        id: newId('price'),
        version: 1,
        productId: product.row.id,
        currency: input.currency,
        unitAmount: input.unit_amount,
        recurring: input.recurring
          ? {
              interval: input.recurring.interval,
              intervalCount: input.recurring.interval_count ?? 1,
              trialPeriodDays: input.recurring.trial_period_days ?? null,
            }
          : null,
        created: at,
      };
      const counted = { ...product.row, priceCount: product.row.priceCount + 1 };
      await applyIn(rows, {
        ...owner,
        at,
        writes: [
          { kind: 'product', mode: product.mode, row: counted },
          ...(await takeLookupKey(rows, row, input)),
          { kind: 'price', mode: 'insert', row },
        ],
        ...resourceFields(call, toPriceResource(row)),
      });
      return row;
    });
  }

  /** @throws PaymountError `resource_missing` */
  async retrieve(call: Call, id: string): Promise<Price> {
    const { prices } = this.#ports.storage.read;
    return findOrThrow(NAME, id, (priceId) => prices.find(ownerOf(call), priceId));
  }

  /** The prices of `ids`, in no order; unknown ids are left out. One query. */
  async retrieveMany(call: Call, ids: readonly string[]): Promise<readonly Price[]> {
    return this.#ports.storage.read.prices.findMany(ownerOf(call), idsAmong('price', ids));
  }

  /**
   * Newest first.
   * @param filter `product`: the id of a product, as it was sent
   * @throws PaymountError `resource_missing`, `invalid_cursor`
   */
  async list(
    call: Call,
    filter: Omit<PriceFilter, 'productId'> & { readonly product?: string },
    page: PageRequest,
  ): Promise<Page<Price>> {
    const { product: name, ...rest } = filter;
    const { prices } = this.#ports.storage.read;
    if (name === undefined) return prices.list(ownerOf(call), rest, page);
    const productId = parseId('prod', name);
    if (productId === undefined) throw missing('product', name, 'product');
    return prices.list(ownerOf(call), { ...rest, productId }, page);
  }

  /**
   * @throws PaymountError `resource_missing`, `resource_already_exists` for the lookup key of another
   *   price, `metadata_limit_exceeded`
   */
  async update(call: Call, id: string, input: PriceUpdate): Promise<Price> {
    const owner = ownerOf(call);
    return this.#ports.storage.transaction(async (rows) => {
      const price = await findOrThrow(NAME, id, (known) => rows.prices.findForUpdate(owner, known));
      const row = changedPrice(price, mergePrice(price, input));
      await applyIn(rows, {
        ...owner,
        at: this.#ports.clock.now(),
        writes: [
          ...(row.lookupKey === price.lookupKey ? [] : await takeLookupKey(rows, row, input)),
          { kind: 'price', mode: 'update', row },
        ],
        ...resourceFields(call, toPriceResource(row)),
      });
      return row;
    });
  }

  /** The product that is named, or else a new one. */
  async #holdProduct(
    rows: PriceRepositories,
    owner: Owner,
    {
      name,
      data,
      at,
    }: { readonly name: string | undefined; readonly data: ProductEdit; readonly at: Date },
  ): Promise<{ readonly mode: 'insert' | 'update'; readonly row: Product }> {
    if (name === undefined) return { mode: 'insert', row: newProduct(owner, data, at) };
    const find = rows.products.findForUpdate.bind(rows.products);
    const product = await findLiveProduct(find, owner, name, 'product');
    if (!product.active) {
      const message = `Product ${product.id} is not active; activate it first.`;
      throw new PaymountError('product_inactive', message, { param: 'product' });
    }
    return { mode: 'update', row: changedProduct(product, {}) };
  }
}

function assertOneProduct({ product, product_data: data }: PriceCreate): void {
  if (product !== undefined && data !== undefined) {
    const message = 'Send either product or product_data, not both.';
    throw new PaymountError('parameters_exclusive', message, { param: 'product_data' });
  }
  if (product === undefined && data === undefined) {
    const message = 'Send product, the id of a product, or product_data[name] of a new one.';
    throw new PaymountError('parameter_missing', message, { param: 'product' });
  }
}

function mergePrice(stored: PriceEdit, input: PriceUpdate): PriceEdit {
  return {
    active: input.active ?? stored.active,
    lookupKey: mergedText(stored.lookupKey, input.lookup_key),
    nickname: mergedText(stored.nickname, input.nickname),
    metadata: mergeMetadata(stored.metadata, input.metadata),
  };
}

/** What frees the lookup key of a price, if another has it. */
async function takeLookupKey(
  rows: PriceRepositories,
  price: Price,
  { transfer_lookup_key: isTransfer }: PriceUpdate,
): Promise<readonly PriceWrite[]> {
  if (price.lookupKey === null) return [];
  const holder = await rows.prices.holdLookupKey(price, price.lookupKey);
  if (holder === undefined || holder.id === price.id) return [];
  if (isTransfer) {
    const row = changedPrice(holder, { lookupKey: null });
    return [{ kind: 'price', mode: 'update', row }];
  }
  throw new PaymountError(
    'resource_already_exists',
    `Price ${holder.id} has this lookup key; send transfer_lookup_key=true to take it.`,
    { param: 'lookup_key' },
  );
}
