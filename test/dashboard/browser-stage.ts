import { expect } from 'chai';
import type { Context, Suite } from 'mocha';
import type { Environment, HostUser } from 'paymount';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { startChromium } from '../support/chromium.ts';
import type { TestHostOptions } from '../support/host.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type DashboardStage, MOUNT, startDashboardStage } from './dashboard-stage.ts';

/** Chromium has a low priority beside other tests, so on a busy machine a journey takes minutes. */
const LIMIT_MS = 180_000;
/** The answer to a look-up that a busy machine could not make in time; pages ask again. */
const BUSY = /status of 503/;

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
  suite.timeout(LIMIT_MS);
  let started: StartedStage | undefined;
  before(async function () {
    started = await startBrowserStage(this, host);
  });
  after(() => started?.close());
  beforeEach(() => site().keepOpen());
  // Pages read again and again, which is work beside the other tests.
  afterEach(() => site().closePages());
  afterEach(() => {
    const complaints = site().complaints.splice(0);
    const unexpected = complaints.filter((text) => !provoked?.test(text) && !BUSY.test(text));
    expect(unexpected.join('\n')).to.equal('');
  });
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
      return site().complaints;
    },
    open: (path, options) => site().open(path, options),
    logInAgain: (page) => site().logInAgain(page),
  };
}

interface StartedStage extends BrowserStage {
  /** Keeps the pages that are open now. */
  keepOpen(): void;
  /** Closes the pages that were opened since. */
  closePages(): Promise<void>;
  close(): Promise<void>;
}

async function startBrowserStage(test: Context, options: TestHostOptions): Promise<StartedStage> {
  const browser: Browser = await startChromium(test);
  const stage = await startDashboardStage(options);
  const receiver = await startReceiver();
  const complaints: string[] = [];
  const contexts: BrowserContext[] = [];
  let kept = 0;
  const setSession = async (context: BrowserContext, cookie: string) => {
    const [name = '', value = ''] = cookie.split('=');
    await context.addCookies([{ name, value, url: stage.url }]);
  };
  return {
    ...{ stage, receiver, complaints },
    async open(path, { role = 'owner', environment = 'test', user, ...options } = {}) {
      const context = await browser.newContext(options);
      context.setDefaultTimeout(LIMIT_MS);
      contexts.push(context);
      await setSession(context, stage.logIn(role, user));
      const page = await context.newPage();
      page.on('pageerror', ({ message }) => complaints.push(message));
      page.on('console', (line) => {
        if (line.type() === 'error') complaints.push(`${page.url()}: ${line.text()}`);
      });
      page.on('request', (request) => {
        const isOurs = request.url().startsWith(stage.url) || request.url().startsWith('data:');
        if (!isOurs) complaints.push(request.url());
      });
      await page.goto(`${stage.url}${MOUNT}/${stage.account}/${environment}/${path}`);
      return page;
    },
    logInAgain: (page) => setSession(page.context(), stage.logIn('owner')),
    keepOpen() {
      kept = contexts.length;
    },
    async closePages() {
      for (const context of contexts.splice(kept)) await context.close();
    },
    async close() {
      for (const context of contexts) await context.close();
      await receiver.close();
      await stage.close();
      await browser.close();
    },
  };
}
