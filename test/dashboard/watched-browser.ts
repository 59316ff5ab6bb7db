import { expect } from 'chai';
import type { Context } from 'mocha';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { startChromium } from '../support/chromium.ts';

/** Chromium has a low priority beside other tests, so on a busy machine a journey takes minutes. */
export const LIMIT_MS = 180_000;
/** The answer to a look-up that a busy machine could not make in time; pages ask again. */
const BUSY = /status of 503/;

/** Chromium, which hears what goes wrong in its pages. */
export interface WatchedBrowser {
  /** What went wrong in pages: errors of the console, and requests to other origins. */
  readonly complaints: string[];
  /**
   * An empty page with cookies of its own.
   * @param origin the only one that it may ask
   */
  newPage(origin: string, options: BrowserContextOptions): Promise<Page>;
  /** Keeps the pages that are open now. */
  keepOpen(): void;
  /** Closes the pages that were opened since. */
  closePages(): Promise<void>;
  /** @throws AssertionError if pages complained of something else than tests provoke */
  expectNoComplaint(provoked?: RegExp): void;
  close(): Promise<void>;
}

/** Starts it; without Chromium, all tests after the hook are skipped. */
export async function startWatchedBrowser(test: Context): Promise<WatchedBrowser> {
  const browser = await startChromium(test);
  const complaints: string[] = [];
  const contexts: BrowserContext[] = [];
  let kept = 0;
  return {
    complaints,
    async newPage(origin, options) {
      const context = await browser.newContext(options);
      context.setDefaultTimeout(LIMIT_MS);
      contexts.push(context);
      const page = await context.newPage();
      page.on('pageerror', ({ message }) => complaints.push(message));
      page.on('console', (line) => {
        if (line.type() === 'error') complaints.push(`${page.url()}: ${line.text()}`);
      });
      page.on('request', (request) => {
        const isOurs = request.url().startsWith(origin) || request.url().startsWith('data:');
        if (!isOurs) complaints.push(request.url());
      });
      return page;
    },
    keepOpen() {
      kept = contexts.length;
    },
    async closePages() {
      for (const context of contexts.splice(kept)) await context.close();
    },
    expectNoComplaint(provoked) {
      const unexpected = complaints
        .splice(0)
        .filter((text) => !provoked?.test(text) && !BUSY.test(text));
      expect(unexpected.join('\n')).to.equal('');
    },
    async close() {
      for (const context of contexts) await context.close();
      await browser.close();
    },
  };
}

/** After each test of a suite, closes its pages, and fails it if they complained. */
export function checkPages(browser: () => WatchedBrowser, provoked?: RegExp): void {
  beforeEach(() => browser().keepOpen());
  // Pages read again and again, which is work beside the other tests.
  afterEach(() => browser().closePages());
  afterEach(() => browser().expectNoComplaint(provoked));
}
