import { type V1Route, v1 } from './route-row.ts';

const AMOUNT = { currency: 'eur', unit_amount: 1_900 };

/** The routes of products and prices. */
export const PRICE_ROUTES: readonly V1Route[] = [
  v1('POST /v1/products', 'createProduct', 'subscriptions:write', {
    body: () => ({ name: 'Tea' }),
  }),
  v1('GET /v1/products', 'listProducts', 'subscriptions:write', { lists: 'product' }),
  v1('GET /v1/products/{id}', 'retrieveProduct', 'subscriptions:write', { of: 'product' }),
  v1('POST /v1/products/{id}', 'updateProduct', 'subscriptions:write', {
    of: 'product',
    body: () => ({ metadata: { changed: 'yes' } }),
  }),
  v1('DELETE /v1/products/{id}', 'deleteProduct', 'subscriptions:write', { of: 'leavingProduct' }),
  v1('POST /v1/prices', 'createPrice', 'subscriptions:write', {
    body: ({ product }) => ({ product, ...AMOUNT }),
    ids: { product: { of: ['product'], with: AMOUNT } },
  }),
  v1('GET /v1/prices', 'listPrices', 'subscriptions:write', {
    lists: 'price',
    ids: { product: { of: ['product'] } },
  }),
  v1('GET /v1/prices/{id}', 'retrievePrice', 'subscriptions:write', { of: 'price' }),
  v1('POST /v1/prices/{id}', 'updatePrice', 'subscriptions:write', {
    of: 'price',
    body: () => ({ metadata: { changed: 'yes' } }),
  }),
];
