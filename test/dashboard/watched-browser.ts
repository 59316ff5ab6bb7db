import { expect } from 'chai';
import type { Context } from 'mocha';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { needsChromium, newContext } from '../support/chromium.ts';

/** The answer to a look-up that a busy machine could not make in time; pages ask again. */
const BUSY = /status of 503/;

/** Pages in Chromium, and what goes wrong in them. */
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
  /** Closes all pages. */
  close(): Promise<void>;
}

/** Without Chromium, all tests after the hook are skipped. */
export function watchBrowser(test: Context): WatchedBrowser {
  needsChromium(test);
  const complaints: string[] = [];
  const contexts: BrowserContext[] = [];
  let kept = 0;
  const closeFrom = async (first: number): Promise<void> => {
    for (const context of contexts.splice(first)) await context.close();
  };
  return {
    complaints,
    async newPage(origin, options) {
      const context = await newContext(options);
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
    closePages: () => closeFrom(kept),
    expectNoComplaint(provoked) {
      const unexpected = complaints
        .splice(0)
        .filter((text) => !provoked?.test(text) && !BUSY.test(text));
      expect(unexpected.join('\n')).to.equal('');
    },
    close: () => closeFrom(0),
  };
}

/** After each test of a suite, closes its pages, and fails it if they complained. */
export function checkPages(browser: () => WatchedBrowser, provoked?: RegExp): void {
  beforeEach(() => browser().keepOpen());
  // Pages read again and again, which is work beside the other tests.
  afterEach(() => browser().closePages());
  afterEach(() => browser().expectNoComplaint(provoked));
}
