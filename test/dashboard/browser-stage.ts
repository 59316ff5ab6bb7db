import type { Context } from 'mocha';
import type { HostUser } from 'paymount';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { startChromium } from '../support/chromium.ts';
import { type DashboardStage, MOUNT, startDashboardStage } from './dashboard-stage.ts';

/** A dashboard, and Chromium. */
export interface BrowserStage {
  readonly stage: DashboardStage;
  /** What went wrong in pages: errors of the console, and requests to other origins. */
  readonly complaints: string[];
  /** Opens a page of the account in test as a user who is logged in. */
  open(path: string, options?: OpenOptions): Promise<Page>;
  close(): Promise<void>;
}

interface OpenOptions extends BrowserContextOptions {
  readonly role?: HostUser['accounts'][number]['role'];
}

/** Starts both; `close()` it in `after`. */
export async function startBrowserStage(test: Context): Promise<BrowserStage> {
  const browser: Browser = await startChromium(test);
  const stage = await startDashboardStage();
  const complaints: string[] = [];
  const contexts: BrowserContext[] = [];
  return {
    stage,
    complaints,
    async open(path, { role = 'owner', ...options } = {}) {
      const context = await browser.newContext(options);
      contexts.push(context);
      const [name = '', value = ''] = stage.logIn(role).split('=');
      await context.addCookies([{ name, value, url: stage.url }]);
      const page = await context.newPage();
      page.on('pageerror', ({ message }) => complaints.push(message));
      page.on('console', (line) => {
        if (line.type() === 'error') complaints.push(`${page.url()}: ${line.text()}`);
      });
      page.on('request', (request) => {
        const isOurs = request.url().startsWith(stage.url) || request.url().startsWith('data:');
        if (!isOurs) complaints.push(request.url());
      });
      await page.goto(`${stage.url}${MOUNT}/${stage.account}/test/${path}`);
      return page;
    },
    async close() {
      for (const context of contexts) await context.close();
      await stage.close();
      await browser.close();
    },
  };
}
