import express, { type Express } from 'express';
import type { Knex } from 'knex';
import type { Acting, Paymount } from 'paymount';
import { orderRoutes } from './order-routes.ts';
import { receiveEvents } from './received-events.ts';

/** Where the shop has what. */
export const SHOP_PATHS = {
  orders: '/orders',
  webhooks: '/webhooks',
  test: '/payments/test',
  live: '/payments/live',
} as const;

/** The shop's Express app: its own routes, its webhook address, and Paymount under a sub-path. */
export function createShopApp(shop: {
  readonly database: Knex;
  readonly paymount: Paymount;
  /** The shop's own account, and the environment it sells in. */
  readonly merchant: Acting;
  readonly webhookSecrets: readonly string[];
}): Express {
  const { database, paymount, webhookSecrets } = shop;
  const app = express();
  app.post(SHOP_PATHS.webhooks, receiveEvents(database, webhookSecrets));
  app.use(SHOP_PATHS.test, paymount.router({ environment: 'test' }));
  app.use(SHOP_PATHS.live, paymount.router({ environment: 'live' }));
  app.use(SHOP_PATHS.orders, orderRoutes(shop));
  return app;
}
