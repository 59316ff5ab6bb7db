import type { Owner } from '../../kernel/basics/environment.ts';
import type { PriceId, ProductId } from '../../kernel/basics/id.ts';
import type { CreatedFilter, Page, PageRequest } from '../../kernel/input/page.ts';
import type { Price } from './price.ts';
import type { Product } from './product.ts';

export interface PriceFilter {
  readonly productId?: ProductId;
  readonly active?: boolean;
  readonly currency?: string;
  readonly type?: 'one_time' | 'recurring';
  /** Only those with one of these. @defaultValue all */
  readonly lookupKeys?: readonly string[];
  readonly created?: CreatedFilter;
}

export interface PriceReader {
  find(owner: Owner, id: PriceId): Promise<Price | undefined>;
  /** The prices of `ids` that belong to this owner, in no order; one query. */
  findMany(owner: Owner, ids: readonly PriceId[]): Promise<readonly Price[]>;
  /** @throws `invalid_cursor` when a cursor is not the id of a price of this owner */
  list(owner: Owner, filter: PriceFilter, page: PageRequest): Promise<Page<Price>>;
}

export interface PriceRepository extends PriceReader {
  /** As `find`, and locks the row until the transaction ends. */
  findForUpdate(owner: Owner, id: PriceId): Promise<Price | undefined>;
  /**
   * The price that has a lookup key. Until the transaction ends, nobody else gives the key to a price
   * or takes it away.
   */
  holdLookupKey(owner: Owner, lookupKey: string): Promise<Price | undefined>;
}

export interface ProductFilter {
  readonly active?: boolean;
  /** Only these. @defaultValue all */
  readonly ids?: readonly ProductId[];
  readonly created?: CreatedFilter;
}

export interface ProductReader {
  /** Deleted ones too. */
  find(owner: Owner, id: ProductId): Promise<Product | undefined>;
  /** The products of `ids` that belong to this owner, deleted ones too, in no order; one query. */
  findMany(owner: Owner, ids: readonly ProductId[]): Promise<readonly Product[]>;
  /**
   * Products that are not deleted.
   * @throws `invalid_cursor` when a cursor is not the id of a product of this owner, deleted or not
   */
  list(owner: Owner, filter: ProductFilter, page: PageRequest): Promise<Page<Product>>;
}

export interface ProductRepository extends ProductReader {
  /** As `find`, and locks the row until the transaction ends. */
  findForUpdate(owner: Owner, id: ProductId): Promise<Product | undefined>;
}
