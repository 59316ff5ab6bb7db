import type { Context } from 'mocha';
import type { Environment, HostUser } from 'paymount';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { startChromium } from '../support/chromium.ts';
import type { TestHostOptions } from '../support/host.ts';
import { type DashboardStage, MOUNT, startDashboardStage } from './dashboard-stage.ts';

/** A dashboard, and Chromium. */
export interface BrowserStage {
  readonly stage: DashboardStage;
  /** What went wrong in pages: errors of the console, and requests to other origins. */
  readonly complaints: string[];
  /** Opens a page of the account as a user who is logged in. */
  open(path: string, options?: OpenOptions): Promise<Page>;
  /** The user of a page logs in anew, as an owner. */
  logInAgain(page: Page): Promise<void>;
  close(): Promise<void>;
}

interface OpenOptions extends BrowserContextOptions {
  readonly role?: HostUser['accounts'][number]['role'];
  /** @defaultValue test */
  readonly environment?: Environment;
  /** What differs from a user of the one account who has just logged in. */
  readonly user?: Partial<HostUser>;
}

/** Starts both; `close()` it in `after`. */
export async function startBrowserStage(
  test: Context,
  options: TestHostOptions = {},
): Promise<BrowserStage> {
  const browser: Browser = await startChromium(test);
  const stage = await startDashboardStage(options);
  const complaints: string[] = [];
  const contexts: BrowserContext[] = [];
  const setSession = async (context: BrowserContext, cookie: string) => {
    const [name = '', value = ''] = cookie.split('=');
    await context.addCookies([{ name, value, url: stage.url }]);
  };
  return {
    stage,
    complaints,
    async open(path, { role = 'owner', environment = 'test', user, ...options } = {}) {
      const context = await browser.newContext(options);
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
    async close() {
      for (const context of contexts) await context.close();
      await stage.close();
      await browser.close();
    },
  };
}
