import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Context, Suite } from 'mocha';
import type { Paymount } from 'paymount';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { merchantLogin } from '../../example-host/src/merchant-login.ts';
import { createMerchantUser } from '../../example-host/src/merchants.ts';
import { createPaymentsApp } from '../../example-host/src/payments-app.ts';
import { CHROMIUM_LIMIT_MS } from '../support/chromium.ts';
import { openShop } from '../support/open-shop.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { keyboardOf } from './keyboard.ts';
import { checkPages, type WatchedBrowser, watchBrowser } from './watched-browser.ts';

/** A person who works for a merchant, and has an account at the shop. */
export interface MerchantUser {
  readonly name: string;
  readonly password: string;
  readonly account: string;
}

/** The dashboard as the example host mounts it, behind its own login, and Chromium. */
export interface ShopSetup {
  /** Of the API for test, the login and the dashboard. */
  readonly url: string;
  readonly paymount: Paymount;
  readonly receiver: Receiver;
  /** Registers a merchant who has done nothing yet, and its owner. */
  newMerchant(): Promise<MerchantUser>;
  /** A page of somebody who is not logged in. */
  newPage(options: BrowserContextOptions): Promise<Page>;
}

/** Starts all before the tests of a suite, and ends it after them; a test fails if its pages complained. */
export function useShopSetup(suite: Suite, provoked: RegExp): ShopSetup {
  suite.timeout(CHROMIUM_LIMIT_MS);
  let started: StartedShop | undefined;
  before(async function () {
    started = await startShopSetup(this);
  });
  after(() => started?.close());
  checkPages(() => shop().browser, provoked);
  const shop = (): StartedShop => {
    if (started === undefined) throw new Error('The shop opens before the tests of the suite.');
    return started;
  };
  return {
    get url() {
      return shop().url;
    },
    get paymount() {
      return shop().paymount;
    },
    get receiver() {
      return shop().receiver;
    },
    newMerchant: () => shop().newMerchant(),
    newPage: (options) => shop().newPage(options),
  };
}

/** Fills in the login of the example host, with the keyboard. */
export async function logInByKeyboard(page: Page, user: MerchantUser): Promise<void> {
  await page.getByRole('heading', { name: 'Log in to the tea shop' }).waitFor();
  const keyboard = keyboardOf(page);
  await keyboard.type(page.getByLabel('Name'), user.name);
  await keyboard.type(page.getByLabel('Password'), user.password);
  await keyboard.press(page.getByRole('button', { name: 'Log in' }));
}

interface StartedShop extends ShopSetup {
  readonly browser: WatchedBrowser;
  close(): Promise<void>;
}

async function startShopSetup(test: Context): Promise<StartedShop> {
  const browser = watchBrowser(test);
  const shop = await openShop();
  const receiver = await startReceiver();
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { database, paymount } = shop;
  server.on('request', createPaymentsApp(paymount, 'test', url, merchantLogin(database)));
  return {
    url,
    paymount,
    receiver,
    browser,
    async newMerchant() {
      const named = { name: 'New shop', country: 'DE', default_currency: 'eur' };
      const { id: account } = await paymount.accounts.create(named);
      const user = { name: `owner-${randomUUID()}`, password: randomUUID() };
      const accounts = [{ id: account, name: named.name, role: 'owner' }] as const;
      await createMerchantUser(database, { ...user, accounts });
      return { ...user, account };
    },
    newPage: (options) => browser.newPage(url, options),
    async close() {
      await browser.close();
      await receiver.close();
      server.closeAllConnections();
      server.close();
      await shop.close();
    },
  };
}
