import { accessSync, constants } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Context } from 'mocha';
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';
import { skipWithout } from './skip.ts';

/** The program. */
export const PROGRAM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** Chromium has a low priority beside other tests, so on a busy machine a journey takes minutes. */
export const CHROMIUM_LIMIT_MS = 180_000;

const NICED = fileURLToPath(new URL('niced-chromium.sh', import.meta.url));

/** The one of this process, which the test files that run in it one after the other share. */
let shared: Promise<Browser> | undefined;

/** On a machine without Chromium, all tests after the hook are skipped. */
export function needsChromium(test: Context): void {
  try {
    accessSync(PROGRAM, constants.X_OK);
  } catch {
    skipWithout(`${PROGRAM} (Debian: chromium)`, test);
  }
}

/**
 * Opens pages and cookies of their own in the Chromium of this process, which starts at the first
 * call, and again after a crash. Whoever opens a context closes it.
 */
export async function newContext(options: BrowserContextOptions): Promise<BrowserContext> {
  shared ??= launch();
  const context = await (await shared).newContext(options);
  context.setDefaultTimeout(CHROMIUM_LIMIT_MS);
  return context;
}

/** Ends the Chromium of this process, if there is one; the exit of the process ends it, too. */
export async function closeChromium(): Promise<void> {
  await (await shared)?.close();
}

async function launch(): Promise<Browser> {
  try {
    // Loaded only here: every process of a run loads this file, and few open a page.
    const { chromium } = await import('playwright-core');
    // Its own sandbox does not work for root, and every page here is ours.
    const browser = await chromium.launch({
      executablePath: NICED,
      args: ['--no-sandbox'],
      timeout: CHROMIUM_LIMIT_MS,
    });
    browser.on('disconnected', forget);
    return browser;
  } catch (error) {
    forget();
    throw error;
  }
}

/** The next context starts another one. */
function forget(): void {
  shared = undefined;
}
