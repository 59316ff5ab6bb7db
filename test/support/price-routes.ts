import { type V1Route, v1 } from './route-row.ts';

const AMOUNT = { currency: 'eur', unit_amount: 1_900 };

const CUSTOMERS = { orNeeds: 'customers:write', of: 'customer' } as const;

/** The routes of products, prices and the balances of customers. */
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
  v1(
    'POST /v1/customers/{id}/balance_transactions',
    'createCustomerBalanceTransaction',
    'subscriptions:write',
    { ...CUSTOMERS, body: () => ({ amount: -1, currency: 'eur' }) },
  ),
  v1(
    'GET /v1/customers/{id}/balance_transactions',
    'listCustomerBalanceTransactions',
    'subscriptions:write',
    { ...CUSTOMERS, lists: 'balanceMove' },
  ),
  v1(
    'GET /v1/customers/{id}/balance_transactions/{transaction}',
    'retrieveCustomerBalanceTransaction',
    'subscriptions:write',
    CUSTOMERS,
  ),
  v1(
    'POST /v1/customers/{id}/balance_transactions/{transaction}',
    'updateCustomerBalanceTransaction',
    'subscriptions:write',
    { ...CUSTOMERS, body: () => ({ metadata: { changed: 'yes' } }) },
  ),
];
