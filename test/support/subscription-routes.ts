import type { Belongings } from './owned-objects.ts';
import { type V1Route, v1 } from './route-row.ts';

const SOLD = ({ subscriber, price }: Belongings) => ({
  customer: subscriber,
  items: [{ price }],
});
const PRICE_DATA = { currency: 'eur', unit_amount: 100, recurring: { interval: 'month' } };
const ITEM_DATA = { items: [{ price_data: PRICE_DATA }] };

/** The routes of subscriptions and their items. */
export const SUBSCRIPTION_ROUTES: readonly V1Route[] = [
  v1('POST /v1/subscriptions', 'createSubscription', 'subscriptions:write', {
    body: SOLD,
    ids: {
      customer: { of: ['customer'], with: ({ price }: Belongings) => ({ items: [{ price }] }) },
      'items[][price]': { of: ['price'], with: ({ customer }: Belongings) => ({ customer }) },
      'items[][price_data][product]': {
        of: ['product'],
        with: ({ customer }: Belongings) => ({
          customer,
          ...ITEM_DATA,
        }),
      },
      default_payment_method: { of: ['saved', 'method'], with: SOLD },
    },
  }),
  v1('GET /v1/subscriptions', 'listSubscriptions', 'subscriptions:write', {
    lists: 'subscription',
    ids: {
      customer: { of: ['customer'] },
      price: { of: ['price'] },
      test_clock: { of: ['testClock'] },
    },
  }),
  v1('GET /v1/subscriptions/{id}', 'retrieveSubscription', 'subscriptions:write', {
    of: 'subscription',
  }),
  v1('POST /v1/subscriptions/{id}', 'updateSubscription', 'subscriptions:write', {
    of: 'subscription',
    body: () => ({ metadata: { changed: 'yes' } }),
    ids: {
      'items[][price]': { of: ['price'] },
      'items[][id]': { of: ['subscriptionItem'] },
      'items[][price_data][product]': { of: ['product'], with: ITEM_DATA },
      default_payment_method: { of: ['saved', 'method'] },
    },
  }),
  v1('DELETE /v1/subscriptions/{id}', 'cancelSubscription', 'subscriptions:write', {
    of: 'leavingSubscription',
  }),
  v1('POST /v1/subscriptions/{id}/resume', 'resumeSubscription', 'subscriptions:write', {
    of: 'subscription',
    answer: '400 subscription_not_paused',
  }),
  v1('POST /v1/subscription_items', 'createSubscriptionItem', 'subscriptions:write', {
    body: ({ subscription, unsoldPrice: price }) => ({ subscription, price }),
    ids: {
      subscription: {
        of: ['subscription'],
        with: ({ unsoldPrice: price }: Belongings) => ({ price }),
      },
      price: {
        of: ['unsoldPrice'],
        with: ({ subscription }: Belongings) => ({ subscription }),
      },
      'price_data[product]': {
        of: ['product'],
        with: ({ subscription }: Belongings) => ({ subscription, price_data: PRICE_DATA }),
      },
    },
  }),
  v1('GET /v1/subscription_items', 'listSubscriptionItems', 'subscriptions:write', {
    query: ({ subscription }) => `subscription=${subscription}`,
    lists: 'subscriptionItem',
    ids: { subscription: { of: ['subscription'], status: 400 } },
  }),
  v1('GET /v1/subscription_items/{id}', 'retrieveSubscriptionItem', 'subscriptions:write', {
    of: 'subscriptionItem',
  }),
  v1('POST /v1/subscription_items/{id}', 'updateSubscriptionItem', 'subscriptions:write', {
    of: 'subscriptionItem',
    body: () => ({ metadata: { changed: 'yes' } }),
    ids: {
      price: { of: ['unsoldPrice'] },
      'price_data[product]': { of: ['product'], with: { price_data: PRICE_DATA } },
    },
  }),
  v1('DELETE /v1/subscription_items/{id}', 'deleteSubscriptionItem', 'subscriptions:write', {
    of: 'leavingSubscriptionItem',
  }),
];
