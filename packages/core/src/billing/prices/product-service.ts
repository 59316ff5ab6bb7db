import { applyIn, commit } from '../../changes/commit.ts';
import { resourceFields } from '../../changes/idempotency/idempotency-fields.ts';
import type { Clock } from '../../kernel/basics/clock.ts';
import { ownerOf } from '../../kernel/callers/call.ts';
import type { Call } from '../../kernel/callers/principal.ts';
import { idsAmong } from '../../kernel/errors/missing.ts';
import { PaymountError } from '../../kernel/errors/paymount-error.ts';
import type { Page, PageRequest } from '../../kernel/input/page.ts';
import { findLiveProduct } from './find-product.ts';
import type { ProductFilter } from './price-repository.ts';
import type { PriceChange, PriceStorage } from './price-storage.ts';
import { BLANK_PRODUCT, changedProduct, newProduct, type Product } from './product.ts';
import { mergeProduct, type ProductCreate, type ProductUpdate } from './product-input.ts';
import { toDeletedProductResource, toProductResource } from './product-resource.ts';

export interface ProductPorts {
  readonly storage: PriceStorage;
  readonly clock: Clock;
}

/** What an account sells. */
export class ProductService {
  readonly #ports: ProductPorts;

  constructor(ports: ProductPorts) {
    this.#ports = ports;
  }

  /** @throws PaymountError `metadata_limit_exceeded` */
  async create(call: Call, input: ProductCreate): Promise<Product> {
    const { storage, clock } = this.#ports;
    return commit(storage.changes, async () => {
      const row = newProduct(ownerOf(call), mergeProduct(BLANK_PRODUCT, input), clock.now());
      const change: PriceChange = {
        ...ownerOf(call),
        at: clock.now(),
        writes: [{ kind: 'product', mode: 'insert', row }],
        ...resourceFields(call, toProductResource(row)),
      };
      return { change, result: row };
    });
  }

  /** @throws PaymountError `resource_missing`, also for a deleted one */
  async retrieve(call: Call, id: string): Promise<Product> {
    const { products } = this.#ports.storage.read;
    return findLiveProduct((...of) => products.find(...of), ownerOf(call), id);
  }

  /** The products of `ids`, in no order; unknown ids are left out. One query. */
  async retrieveMany(call: Call, ids: readonly string[]): Promise<readonly Product[]> {
    return this.#ports.storage.read.products.findMany(ownerOf(call), idsAmong('prod', ids));
  }

  /**
   * Newest first, without deleted ones.
   * @param filter `ids`: as they were sent; unknown ones are left out
   * @throws PaymountError `invalid_cursor`
   */
  async list(
    call: Call,
    filter: Omit<ProductFilter, 'ids'> & { readonly ids?: readonly string[] },
    page: PageRequest,
  ): Promise<Page<Product>> {
    const { ids, ...rest } = filter;
    const known = ids === undefined ? {} : { ids: idsAmong('prod', ids) };
    return this.#ports.storage.read.products.list(ownerOf(call), { ...rest, ...known }, page);
  }

  /** @throws PaymountError `resource_missing`, also for a deleted one, `metadata_limit_exceeded` */
  async update(call: Call, id: string, input: ProductUpdate): Promise<Product> {
    return this.#locked(call, id, (product) =>
      changedProduct(product, mergeProduct(product, input)),
    );
  }

  /**
   * Deletes a product for which no price was made.
   * @throws PaymountError `resource_missing`, also for a deleted one, `product_has_prices`
   */
  async delete(call: Call, id: string): Promise<Product> {
    return this.#locked(call, id, (product) => {
      if (product.priceCount > 0) throw new PaymountError('product_has_prices');
      return changedProduct(product, { deletedAt: this.#ports.clock.now() });
    });
  }

  /** A new price changes the row too, so a change of the product waits for it. */
  async #locked(call: Call, id: string, toNext: (product: Product) => Product): Promise<Product> {
    const owner = ownerOf(call);
    return this.#ports.storage.transaction(async (rows) => {
      const find = rows.products.findForUpdate.bind(rows.products);
      const row = toNext(await findLiveProduct(find, owner, id));
      const answer =
        row.deletedAt === undefined ? toProductResource(row) : toDeletedProductResource(row);
      await applyIn(rows, {
        ...owner,
        at: this.#ports.clock.now(),
        writes: [{ kind: 'product', mode: 'update', row }],
        ...resourceFields(call, answer),
      });
      return row;
    });
  }
}
