import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import type { Knex } from 'knex';
import type { Acting, Paymount } from 'paymount';
import { startWorker, type Worker } from 'paymount/worker';
import { startHouseBank } from '../../example-host/src/house-bank-server.ts';
import type { Order } from '../../example-host/src/orders.ts';
import { createShopApp } from '../../example-host/src/shop-app.ts';
import { createShopTables, openShopDatabase } from '../../example-host/src/shop-database.ts';
import { openShopPayments, type PaymentSettings } from '../../example-host/src/shop-payments.ts';
import { createShopServer, type ShopCertificate } from '../../example-host/src/shop-server.ts';
import { openStaffTokens } from '../../example-host/src/staff-tokens.ts';
import { freshDatabase } from './database.ts';
import { eventually } from './eventually.ts';
import { SILENT } from './host.ts';

/** How a shop differs from the plain one: over TLS, with a mail server, behind a proxy. */
export interface ShopSettings
  extends Pick<PaymentSettings, 'smtpUrl' | 'proxies' | 'githubKeysUrl'> {
  readonly certificate?: ShopCertificate;
}

/** Where the merchant of the shop gets e-mail. */
export const OWNER = 'owner@tea-shop.example';

/** The example host, running as a customer and a merchant meet it. */
export interface OpenShop {
  readonly url: string;
  readonly app: Express;
  readonly database: Knex;
  readonly paymount: Paymount;
  readonly merchant: Acting;
  readonly worker: Worker;
  /** Signing secret of the shop's endpoint. */
  readonly webhookSecret: string;
  /** A key of the merchant's own. */
  key(environment: Acting['environment'], type: 'secret' | 'publishable'): Promise<string>;
  /** Serves the same shop anew, which then knows these signing secrets alone. */
  redeploy(webhookSecrets: readonly string[]): void;
  /** Places an order over HTTP. */
  order(paymentMethod: string): Promise<Order>;
  /** Waits until an order has left `pending`. */
  settled(id: string): Promise<Order>;
  close(): Promise<void>;
}

/** Opens a shop with a database of its own; `close()` it in `after`. */
export async function openShop({ certificate, ...settings }: ShopSettings = {}): Promise<OpenShop> {
  const files = await freshDatabase();
  const database = openShopDatabase(files.url);
  await createShopTables(database);
  const key = `bank_${randomBytes(12).toString('hex')}`;
  const bank = await startHouseBank({ databaseUrl: files.url, key });
  const paymount = await openShopPayments({
    ...settings,
    database,
    bank: { url: bank.url, key },
    sealingKeys: [{ kid: 'shop', key: randomBytes(32).toString('base64') }],
    logger: SILENT,
  });
  const worker = await startWorker(paymount);
  const account = await paymount.accounts.create({
    name: 'The tea shop',
    email: OWNER,
    country: 'DE',
    default_currency: 'eur',
  });
  const merchant: Acting = { account: account.id, environment: 'test' };
  const server = createShopServer(certificate).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const scheme = certificate === undefined ? 'http' : 'https';
  const url = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { secret: webhookSecret = '' } = await paymount.webhookEndpoints.create(merchant, {
    url: `${url}/webhooks`,
    enabled_events: ['charge.*', 'subscription.*'],
  });
  const staffTokens = await openStaffTokens();
  const deploy = (webhookSecrets: readonly string[]): Express =>
    createShopApp({ database, paymount, merchant, webhookSecrets, staffTokens });
  const app = deploy([webhookSecret]);
  server.on('request', app);
  return {
    url,
    app,
    database,
    paymount,
    merchant,
    worker,
    webhookSecret,
    async key(environment, type) {
      const named = { account: account.id, livemode: environment === 'live', type, name: 'Test' };
      return (await paymount.keys.create(named)).secret;
    },
    redeploy(webhookSecrets) {
      server.removeAllListeners('request').on('request', deploy(webhookSecrets));
    },
    async order(paymentMethod) {
      const response = await fetch(`${url}/orders`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ item: 'teapot', payment_method: paymentMethod }),
      });
      if (response.status !== 202) throw new Error(await response.text());
      return (await response.json()) as Order;
    },
    settled: (id) =>
      eventually(async () => {
        const order = (await (await fetch(`${url}/orders/${id}`)).json()) as Order;
        return order.status === 'pending' ? undefined : order;
      }),
    async close() {
      await worker.close();
      await paymount.close();
      server.closeAllConnections();
      server.close();
      await bank.close();
      await database.destroy();
      await files.drop();
    },
  };
}
