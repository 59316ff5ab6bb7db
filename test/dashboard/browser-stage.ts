import type { Context, Suite } from 'mocha';
import type { Environment, HostUser } from 'paymount';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { CHROMIUM_LIMIT_MS } from '../support/chromium.ts';
import type { TestHostOptions } from '../support/host.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type DashboardStage, MOUNT, startDashboardStage } from './dashboard-stage.ts';
import { checkPages, type WatchedBrowser, watchBrowser } from './watched-browser.ts';

/** A dashboard, a receiver of webhooks, and Chromium. */
export interface BrowserStage {
  readonly stage: DashboardStage;
  readonly receiver: Receiver;
  /** What went wrong in pages: errors of the console, and requests to other origins. */
  readonly complaints: string[];
  /** Opens a page of the account as a user who is logged in. */
  open(path: string, options?: OpenOptions): Promise<Page>;
  /** The user of a page logs in anew, as an owner. */
  logInAgain(page: Page): Promise<void>;
}

interface StageOptions {
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
 * complained. Call it before the suite's own hooks, which find the stage started.
 */
export function useBrowserStage(
  suite: Suite,
  { host = {}, provoked }: StageOptions = {},
): BrowserStage {
  suite.timeout(CHROMIUM_LIMIT_MS);
  let started: StartedStage | undefined;
  before(async function () {
    started = await startBrowserStage(this, host);
  });
  after(() => started?.close());
  checkPages(() => site().browser, provoked);
  const site = (): StartedStage => {
    if (started === undefined) throw new Error('The stage starts before the tests of the suite.');
    return started;
  };
  return {
    get stage() {
      return site().stage;
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

interface StartedStage extends Omit<BrowserStage, 'complaints'> {
  readonly browser: WatchedBrowser;
  close(): Promise<void>;
}

async function startBrowserStage(test: Context, options: TestHostOptions): Promise<StartedStage> {
  const browser = watchBrowser(test);
  const stage = await startDashboardStage(options);
  const receiver = await startReceiver();
  const setSession = async (page: Page, cookie: string) => {
    const [name = '', value = ''] = cookie.split('=');
    await page.context().addCookies([{ name, value, url: stage.url }]);
  };
  return {
    stage,
    receiver,
    browser,
    async open(path, { role = 'owner', environment = 'test', user, ...context } = {}) {
      const page = await browser.newPage(stage.url, context);
      await setSession(page, stage.logIn(role, user));
      await page.goto(`${stage.url}${MOUNT}/${stage.account}/${environment}/${path}`);
      return page;
    },
    logInAgain: (page) => setSession(page, stage.logIn('owner')),
    async close() {
      await browser.close();
      await receiver.close();
      await stage.close();
    },
  };
}
