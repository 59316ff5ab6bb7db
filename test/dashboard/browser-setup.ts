import type { Context, Suite } from 'mocha';
import type { Environment, HostUser } from 'paymount';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { CHROMIUM_LIMIT_MS } from '../support/chromium.ts';
import type { TestHostOptions } from '../support/host.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type DashboardSetup, MOUNT, startDashboardSetup } from './dashboard-setup.ts';
import { checkPages, type WatchedBrowser, watchBrowser } from './watched-browser.ts';

/** A dashboard, a receiver of webhooks, and Chromium. */
export interface BrowserSetup {
  readonly setup: DashboardSetup;
  readonly receiver: Receiver;
  /** What went wrong in pages: errors of the console, and requests to other origins. */
  readonly complaints: string[];
  /** Opens a page of the account as a user who is logged in. */
  open(path: string, options?: OpenOptions): Promise<Page>;
  /** The user of a page logs in anew, as an owner. */
  logInAgain(page: Page): Promise<void>;
}

interface SetupOptions {
  readonly host?: TestHostOptions;
  /** Complaints that these tests provoke. */
  readonly provoked?: RegExp;
}

interface OpenOptions extends BrowserContextOptions {
  readonly role?: HostUser['accounts'][number]['role'];
  /** @defaultValue test */
  readonly environment?: Environment;
  /** What differs from a user of the one account who has just logged in. */
  readonly user?: Partial<HostUser>;
}

/**
 * Starts all before the tests of a suite, and ends it after them. A test fails if its pages
 * complained. Call it before the suite's own hooks, which find the setup started.
 */
export function useBrowserSetup(
  suite: Suite,
  { host = {}, provoked }: SetupOptions = {},
): BrowserSetup {
  suite.timeout(CHROMIUM_LIMIT_MS);
  let started: StartedSetup | undefined;
  before(async function () {
    started = await startBrowserSetup(this, host);
  });
  after(() => started?.close());
  checkPages(() => site().browser, provoked);
  const site = (): StartedSetup => {
    if (started === undefined) throw new Error('The setup starts before the tests of the suite.');
    return started;
  };
  return {
    get setup() {
      return site().setup;
    },
    get receiver() {
      return site().receiver;
    },
    get complaints() {
      return site().browser.complaints;
    },
    open: (path, options) => site().open(path, options),
    logInAgain: (page) => site().logInAgain(page),
  };
}

interface StartedSetup extends Omit<BrowserSetup, 'complaints'> {
  readonly browser: WatchedBrowser;
  close(): Promise<void>;
}

async function startBrowserSetup(test: Context, options: TestHostOptions): Promise<StartedSetup> {
  const browser = watchBrowser(test);
  const setup = await startDashboardSetup(options);
  const receiver = await startReceiver();
  const setSession = async (page: Page, cookie: string) => {
    const [name = '', value = ''] = cookie.split('=');
    await page.context().addCookies([{ name, value, url: setup.url }]);
  };
  return {
    setup,
    receiver,
    browser,
    async open(path, { role = 'owner', environment = 'test', user, ...context } = {}) {
      const page = await browser.newPage(setup.url, context);
      await setSession(page, setup.logIn(role, user));
      await page.goto(`${setup.url}${MOUNT}/${setup.account}/${environment}/${path}`);
      return page;
    },
    logInAgain: (page) => setSession(page, setup.logIn('owner')),
    async close() {
      await browser.close();
      await receiver.close();
      await setup.close();
    },
  };
}
