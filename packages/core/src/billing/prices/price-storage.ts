import type { AreaStorage } from '../../changes/area-storage.ts';
import type { Change, Write } from '../../changes/change.ts';
import type { ChangeRepository } from '../../changes/change-repository.ts';
import type { Price } from './price.ts';
import type {
  PriceReader,
  PriceRepository,
  ProductReader,
  ProductRepository,
} from './price-repository.ts';
import type { Product } from './product.ts';

export type PriceWrite = Write<'product', Product> | Write<'price', Price>;

/** The change that the services of products and prices commit. */
export type PriceChange = Change<PriceWrite>;

interface Readers {
  readonly products: ProductReader;
  readonly prices: PriceReader;
}

/** Bound to one transaction. A product is locked before its prices, and a lookup key after them. */
export interface PriceRepositories {
  readonly products: ProductRepository;
  readonly prices: PriceRepository;
  readonly changes: ChangeRepository<PriceChange>;
}

/** What the services of products and prices need of storage. */
export type PriceStorage = AreaStorage<Readers, PriceRepositories>;
