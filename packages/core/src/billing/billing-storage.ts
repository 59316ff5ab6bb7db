import type {
  PriceReader,
  PriceRepository,
  ProductReader,
  ProductRepository,
} from './prices/price-repository.ts';

export interface BillingReaders {
  readonly products: ProductReader;
  readonly prices: PriceReader;
}

/** Bound to one transaction. A product is locked before its prices, and a lookup key after them. */
export interface BillingRepositories {
  readonly products: ProductRepository;
  readonly prices: PriceRepository;
}
