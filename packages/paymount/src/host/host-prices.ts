import {
  type DeletedProductJson,
  PriceCreateInput,
  type PriceJson,
  PriceUpdateInput,
  ProductCreateInput,
  type ProductJson,
  ProductUpdateInput,
  toDeletedProductResource,
  toPriceResource,
  toProductResource,
} from '@paymount/core/billing';
import {
  type ListJson,
  listPrices,
  listProducts,
  Nothing,
  PriceListQuery,
  ProductListQuery,
} from '@paymount/http';
import type { Services } from '../parts/services.ts';
import { type Acting, toCall } from './acting.ts';
import { type HostCalls, reading } from './host-calls.ts';
import type {
  PriceCreateParams,
  PriceListParams,
  PriceUpdateParams,
  ProductCreateParams,
  ProductListParams,
  ProductUpdateParams,
} from './params.ts';

const PRODUCTS = '/v1/products';
const PRICES = '/v1/prices';

/** The host's calls on products. */
export interface HostProducts {
  create(acting: Acting, input: ProductCreateParams): Promise<ProductJson>;
  retrieve(acting: Acting, id: string): Promise<ProductJson>;
  /** Newest first, without deleted ones. */
  list(acting: Acting, query?: ProductListParams): Promise<ListJson<ProductJson>>;
  update(acting: Acting, id: string, input: ProductUpdateParams): Promise<ProductJson>;
  /** Only one for which no price was made. */
  delete(acting: Acting, id: string): Promise<DeletedProductJson>;
}

/** The host's calls on prices. */
export interface HostPrices {
  create(acting: Acting, input: PriceCreateParams): Promise<PriceJson>;
  retrieve(acting: Acting, id: string): Promise<PriceJson>;
  /** Newest first. */
  list(acting: Acting, query?: PriceListParams): Promise<ListJson<PriceJson>>;
  /** Amount, currency and interval never change. */
  update(acting: Acting, id: string, input: PriceUpdateParams): Promise<PriceJson>;
}

/** Products for the host's own code. */
export function productsFor({ products }: Services, calls: HostCalls): HostProducts {
  return {
    create: (acting, input) =>
      calls.change(
        acting,
        { path: PRODUCTS, read: reading(ProductCreateInput, input) },
        async (call, parameters) => toProductResource(await products.create(call, parameters)),
      ),
    retrieve: async (acting, id) => toProductResource(await products.retrieve(toCall(acting), id)),
    list: (acting, query = {}) =>
      calls.read(acting, reading(ProductListQuery, query), (call, parameters) =>
        listProducts(products, call, parameters),
      ),
    update: (acting, id, input) =>
      calls.change(
        acting,
        { path: `${PRODUCTS}/${id}`, read: reading(ProductUpdateInput, input) },
        async (call, parameters) => toProductResource(await products.update(call, id, parameters)),
      ),
    delete: (acting, id) => {
      const path = `${PRODUCTS}/${id}`;
      const request = { method: 'DELETE', path, read: reading(Nothing, {}) } as const;
      return calls.change(acting, request, async (call) =>
        toDeletedProductResource(await products.delete(call, id)),
      );
    },
  };
}

/** Prices for the host's own code. */
export function pricesFor({ prices }: Services, calls: HostCalls): HostPrices {
  return {
    create: (acting, input) =>
      calls.change(
        acting,
        { path: PRICES, read: reading(PriceCreateInput, input) },
        async (call, parameters) => toPriceResource(await prices.create(call, parameters)),
      ),
    retrieve: async (acting, id) => toPriceResource(await prices.retrieve(toCall(acting), id)),
    list: (acting, query = {}) =>
      calls.read(acting, reading(PriceListQuery, query), (call, parameters) =>
        listPrices(prices, call, parameters),
      ),
    update: (acting, id, input) =>
      calls.change(
        acting,
        { path: `${PRICES}/${id}`, read: reading(PriceUpdateInput, input) },
        async (call, parameters) => toPriceResource(await prices.update(call, id, parameters)),
      ),
  };
}
