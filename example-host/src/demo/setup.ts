import { randomBytes } from 'node:crypto';
import express from 'express';
import type { Knex } from 'knex';
import type { Acting, Paymount } from 'paymount';
import { startWorker } from 'paymount/worker';
import { startHouseBank } from '../house-bank-server.ts';
import { merchantLogin } from '../merchant-login.ts';
import { createPaymentsApp } from '../payments-app.ts';
import { createShopApp, SHOP_PATHS } from '../shop-app.ts';
import { createShopTables, openShopDatabase } from '../shop-database.ts';
import { openShopPayments, type PaymentSettings } from '../shop-payments.ts';
import { createStaffMember } from '../staff.ts';
import { openStaffTokens } from '../staff-tokens.ts';
import { demoAdmin } from './demo-admin.ts';
import { openLog, sealingKeys } from './demo-folder.ts';
import { DEMO_LIMITS } from './demo-limits.ts';
import { type DemoPlatform, openPlatform } from './demo-platform.ts';
import { findDatabase } from './find-database.ts';
import { findMailServer } from './find-mail-server.ts';
import { findRedis } from './find-redis.ts';
import { openMerchant } from './merchant.ts';
import { livePastDays } from './past-days.ts';
import { describeOrigin, openShopOrigins, type ShopOrigins } from './shop-origins.ts';
import type { UndoStack } from './undo-stack.ts';

/** One environment: its address and its keys. */
export interface Mount {
  readonly baseUrl: string;
  readonly secretKey: string;
  readonly publishableKey: string;
}

/** All running parts, and what the steps need from them. */
export interface Setup {
  readonly database: Knex;
  /** The URL of the database, for the `paymount` command. */
  readonly databaseUrl: string;
  readonly paymount: Paymount;
  readonly merchant: Acting;
  readonly shopUrl: string;
  readonly receiverUrl: string;
  readonly environments: { readonly test: Mount; readonly live: Mount };
  /** A separate mount of the management API, and a token that is valid while the demo runs. */
  readonly management: { readonly baseUrl: string; readonly token: string };
  /** A platform of another company, which merchants may connect. */
  readonly oauth: DemoPlatform;
  readonly platformUrl: string;
  /** A member of the shop's staff with all permissions. */
  readonly admin: { readonly id: string; readonly name: string; readonly password: string };
  /** What was found and started, one line each. */
  readonly described: readonly string[];
}

/**
 * Starts everything in order. Started parts are on the stack if a later part fails.
 * @param pastDays of so many days the merchant has traffic already
 */
export async function openSetup(undo: UndoStack, pastDays = 0): Promise<Setup> {
  const origins = await openShopOrigins(undo);
  const { database, databaseUrl, paymount, merchant, described } = await openPayments(
    undo,
    pastDays,
    `${origins.test.url}/invoices`,
  );
  const { shop, test, live, management } = origins;
  const receiverUrl = shop.url + SHOP_PATHS.webhooks;
  const endpoint = await paymount.webhookEndpoints.create(merchant, {
    url: receiverUrl,
    enabled_events: ['*'],
    description: 'The shop itself',
  });
  const webhookSecrets = [endpoint.secret ?? ''];
  const staffTokens = await openStaffTokens();
  const token = randomBytes(32).toString('base64url');
  shop.serve(createShopApp({ database, paymount, merchant, webhookSecrets, staffTokens }));
  const login = merchantLogin(database);
  for (const [environment, origin] of [
    ['test', test],
    ['live', live],
  ] as const) {
    origin.serve(createPaymentsApp(paymount, environment, origin.url, login));
  }
  management.serve(express().use(paymount.managementRouter({ authenticate: demoAdmin(token) })));
  const keys = (environment: Acting['environment']) => makeKeys(paymount, merchant, environment);
  return {
    database,
    databaseUrl,
    paymount,
    merchant,
    receiverUrl,
    shopUrl: shop.url,
    environments: {
      test: { baseUrl: test.url, ...(await keys('test')) },
      live: { baseUrl: live.url, ...(await keys('live')) },
    },
    management: { baseUrl: management.url, token },
    oauth: await openPlatform({ paymount, database }, merchant, origins),
    platformUrl: origins.platform.url,
    admin: await createAdmin(database),
    described: [...described, ...describeOrigins(origins)],
  };
}

type Opened = Pick<Setup, 'database' | 'databaseUrl' | 'paymount' | 'merchant' | 'described'>;

/** The shop's own parts: its database, its bank, Paymount with a worker. */
async function openPayments(
  undo: UndoStack,
  pastDays: number,
  invoicesUrl: string,
): Promise<Opened> {
  const [server, redis, log] = [await findDatabase(undo), await findRedis(), await openLog()];
  const mail = findMailServer();
  const database = openShopDatabase(server.url);
  undo.push(() => database.destroy());
  await createShopTables(database);
  const key = `bank_${randomBytes(16).toString('hex')}`;
  const bank = await startHouseBank({ databaseUrl: server.url, key });
  undo.push(() => bank.close());
  const settings: PaymentSettings = {
    database,
    bank: { url: bank.url, key },
    sealingKeys: await sealingKeys(),
    rateLimit: DEMO_LIMITS,
    invoicesUrl,
    logger: log.logger,
    ...(redis.url === undefined ? {} : { redisUrl: redis.url }),
    ...(mail.url === undefined ? {} : { smtpUrl: mail.url }),
  };
  const past = pastDays > 0 ? await livePastDays(settings, { days: pastDays, undo }) : undefined;
  const paymount = await openShopPayments(settings);
  undo.push(() => paymount.close());
  const worker = await startWorker(paymount);
  undo.push(() => worker.close());
  const described = [
    `PostgreSQL  ${server.described}`,
    `Redis       ${redis.described}`,
    `E-mail      ${mail.described}`,
    `Log         ${log.file}`,
  ];
  const merchant = past ?? (await openMerchant(paymount));
  return { database, databaseUrl: server.url, paymount, merchant, described };
}

function describeOrigins({
  shop,
  test,
  live,
  management,
  platform,
}: ShopOrigins): readonly string[] {
  const { test: testPath, live: livePath, admin } = SHOP_PATHS;
  return [
    `Shop        ${describeOrigin(shop)}, which mounts ${testPath}, ${livePath} and ${admin}`,
    `Test        ${describeOrigin(test)}`,
    `Live        ${describeOrigin(live)}, with a bank of its own`,
    `Management  ${describeOrigin(management)}`,
    `Platform    ${describeOrigin(platform)}, a bookkeeping program that merchants connect`,
  ];
}

/** A member of staff with all permissions; only this run has the password. */
async function createAdmin(database: Knex): Promise<Setup['admin']> {
  const name = `admin-${randomBytes(4).toString('hex')}`;
  const password = randomBytes(16).toString('hex');
  const { id } = await createStaffMember(database, { name, password, roles: ['admin'] });
  return { id, name, password };
}

async function makeKeys(
  paymount: Paymount,
  { account: accountId }: Acting,
  environment: Acting['environment'],
): Promise<Pick<Mount, 'secretKey' | 'publishableKey'>> {
  const make = async (type: 'secret' | 'publishable') => {
    const name = `Demo, ${type}`;
    const key = { account: accountId, livemode: environment === 'live', type, name };
    return (await paymount.keys.create(key)).secret;
  };
  return { secretKey: await make('secret'), publishableKey: await make('publishable') };
}
