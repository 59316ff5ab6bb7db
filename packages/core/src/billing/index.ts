// What is sold, and what it costs: products and prices; and what customers owe before an invoice says so:
// their balances. It imports the kernel, changes, the ledger and payments. Start at
// `prices/price-service.ts`.

export {
  CustomerBalanceTransactionCreateInput,
  CustomerBalanceTransactionUpdateInput,
} from './balance/balance-input.ts';
export {
  type CustomerBalanceTransactionJson,
  CustomerBalanceTransactionResource,
  toCustomerBalanceTransactionResource,
} from './balance/balance-resource.ts';
export type { BillingServices } from './billing-services.ts';
export { billingServices } from './billing-services.ts';
export type { Price } from './prices/price.ts';
export { PriceCreateInput, PriceUpdateInput } from './prices/price-input.ts';
export type * from './prices/price-repository.ts';
export { type PriceJson, PriceResource, toPriceResource } from './prices/price-resource.ts';
export type { Product } from './prices/product.ts';
export { ProductCreateInput, ProductUpdateInput } from './prices/product-input.ts';
export {
  type DeletedProductJson,
  DeletedProductResource,
  type ProductJson,
  ProductResource,
  toDeletedProductResource,
  toProductResource,
} from './prices/product-resource.ts';
