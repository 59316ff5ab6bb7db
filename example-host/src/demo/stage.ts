import { randomBytes } from 'node:crypto';
import express from 'express';
import type { Knex } from 'knex';
import type { Acting, Paymount } from 'paymount';
import { startWorker } from 'paymount/worker';
import { startHouseBank } from '../house-bank-server.ts';
import { createShopApp, SHOP_PATHS } from '../shop-app.ts';
import { createShopTables, openShopDatabase } from '../shop-database.ts';
import { openShopPayments } from '../shop-payments.ts';
import { findDatabase } from './find-database.ts';
import { findRedis } from './find-redis.ts';
import { openLog, sealingKey } from './keep-file.ts';
import { type Origin, openOrigin } from './origin.ts';
import type { UndoStack } from './undo-stack.ts';

/** One environment: where it answers, and the keys that it takes. */
export interface Mount {
  readonly baseUrl: string;
  readonly secretKey: string;
  readonly publishableKey: string;
}

/** Everything that runs, and what the steps need of it. */
export interface Stage {
  readonly database: Knex;
  readonly paymount: Paymount;
  readonly merchant: Acting;
  readonly shopUrl: string;
  readonly receiverUrl: string;
  readonly environments: { readonly test: Mount; readonly live: Mount };
  /** What was found and opened, one line each. */
  readonly described: readonly string[];
}

const FIRST_PORT = 4100;
const LAST_PORT = 65_535;

/** Opens everything in order; whatever was opened is on the stack when a later part fails. */
export async function openStage(undo: UndoStack): Promise<Stage> {
  const [shop, test, live] = await openOrigins(undo);
  const [server, redis, log] = [await findDatabase(undo), await findRedis(), await openLog()];
  const database = openShopDatabase(server.url);
  undo.push(() => database.destroy());
  await createShopTables(database);
  const key = `bank_${randomBytes(16).toString('hex')}`;
  const bank = await startHouseBank({ databaseUrl: server.url, key });
  undo.push(() => bank.close());
  const paymount = await openShopPayments({
    database,
    bank: { url: bank.url, key },
    sealingKey: await sealingKey(),
    logger: log.logger,
    ...(redis.url === undefined ? {} : { redisUrl: redis.url }),
  });
  undo.push(() => paymount.close());
  const worker = await startWorker(paymount);
  undo.push(() => worker.close());

  const merchant = await openMerchant(paymount);
  const receiverUrl = shop.url + SHOP_PATHS.webhooks;
  const endpoint = await paymount.webhookEndpoints.create(merchant, {
    url: receiverUrl,
    enabled_events: ['*'],
    description: 'The shop itself',
  });
  const webhookSecrets = [endpoint.secret ?? ''];
  shop.serve(createShopApp({ database, paymount, merchant, webhookSecrets }));
  test.serve(express().use(paymount.router({ environment: 'test' })));
  live.serve(express().use(paymount.router({ environment: 'live' })));
  const keys = (environment: Acting['environment']) => makeKeys(paymount, merchant, environment);
  return {
    ...{ database, paymount, merchant, receiverUrl, shopUrl: shop.url },
    environments: {
      test: { baseUrl: test.url, ...(await keys('test')) },
      live: { baseUrl: live.url, ...(await keys('live')) },
    },
    described: [
      `PostgreSQL  ${server.described}`,
      `Redis       ${redis.described}`,
      `Shop        ${shop.url}${takenOf(shop)}, which mounts ${SHOP_PATHS.test} and ${SHOP_PATHS.live}`,
      `Test        ${test.url}${takenOf(test)}`,
      `Live        ${live.url}${takenOf(live)}, with a bank of its own`,
      `Log         ${log.file}`,
    ],
  };
}

async function openOrigins(undo: UndoStack): Promise<[Origin, Origin, Origin]> {
  const shop = await openOrigin(firstPort(), undo);
  const test = await openOrigin(after(shop), undo);
  return [shop, test, await openOrigin(after(test), undo)];
}

/** A port of 0 means any: then every origin takes any. */
function after(origin: Origin): number {
  return process.env['PORT'] === '0' ? 0 : origin.port + 1;
}

function firstPort(): number {
  const given = process.env['PORT'];
  if (given === undefined || given === '') return FIRST_PORT;
  const port = Number(given);
  if (Number.isInteger(port) && port >= 0 && port <= LAST_PORT) return port;
  throw new Error(`PORT is ${JSON.stringify(given)}; it must be a number from 0 to ${LAST_PORT}.`);
}

function takenOf({ taken }: Origin): string {
  if (taken.length === 0) return '';
  return ` (${taken.join(', ')} ${taken.length === 1 ? 'is' : 'are'} taken)`;
}

/** An account of this run's own, so that its sums are easy to follow. */
async function openMerchant(paymount: Paymount): Promise<Acting> {
  const account = await paymount.accounts.create({
    name: 'The tea shop',
    country: 'DE',
    defaultCurrency: 'eur',
  });
  return { account: account.id, environment: 'test' };
}

async function makeKeys(
  paymount: Paymount,
  { account: accountId }: Acting,
  environment: Acting['environment'],
): Promise<Pick<Mount, 'secretKey' | 'publishableKey'>> {
  const make = async (type: 'secret' | 'publishable') => {
    const name = `Demo, ${type}`;
    const key = { accountId, environment, type, name, createdBy: 'demo' };
    return (await paymount.keys.create(key)).secret;
  };
  return { secretKey: await make('secret'), publishableKey: await make('publishable') };
}
