import express, { type Express } from 'express';
import type { Knex } from 'knex';
import type { Acting, Paymount } from 'paymount';
import { membershipRoutes } from './membership-routes.ts';
import { orderRoutes } from './order-routes.ts';
import { receiveEvents } from './received-events.ts';
import { staffRoutes } from './staff-routes.ts';
import type { StaffTokens } from './staff-tokens.ts';

/** The paths of the shop. */
export const SHOP_PATHS = {
  orders: '/orders',
  memberships: '/memberships',
  webhooks: '/webhooks',
  test: '/payments/test',
  live: '/payments/live',
  leaks: '/payments',
  staff: '/staff',
  admin: '/admin/payments',
} as const;

/** The shop's Express app: its own routes, its webhook address, and Paymount under sub-paths. */
export function createShopApp(shop: {
  readonly database: Knex;
  readonly paymount: Paymount;
  /** The shop's own account, and the environment it sells in. */
  readonly merchant: Acting;
  readonly webhookSecrets: readonly string[];
  readonly staffTokens: StaffTokens;
}): Express {
  const { database, paymount, webhookSecrets, staffTokens } = shop;
  const app = express();
  app.post(SHOP_PATHS.webhooks, receiveEvents(database, webhookSecrets));
  app.use(SHOP_PATHS.test, paymount.router({ environment: 'test' }));
  app.use(SHOP_PATHS.live, paymount.router({ environment: 'live' }));
  // GitHub reports leaked keys to POST /payments/leaks/github, and signs the bytes of its report.
  app.use(SHOP_PATHS.leaks, paymount.leakRouter());
  // Everyone who can sign in to the shop may use the management API, within their roles.
  app.use(SHOP_PATHS.staff, staffRoutes(shop));
  app.use(SHOP_PATHS.admin, paymount.managementRouter({ authenticate: staffTokens.authenticate }));
  app.use(SHOP_PATHS.orders, orderRoutes(shop));
  app.use(SHOP_PATHS.memberships, membershipRoutes(shop));
  return app;
}
