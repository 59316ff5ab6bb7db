import { expect } from 'chai';
import type { BrowserContextOptions } from 'playwright-core';
import { seriousFaultsNow } from '../support/axe.ts';
import type { BrowserSetup } from './browser-setup.ts';

/** The narrowest phone of today. */
export const PHONE = {
  viewport: { width: 320, height: 640 },
  isMobile: true,
  hasTouch: true,
} as const;
const DESKTOP = { viewport: { width: 1280, height: 720 } } as const;
/** By how many pixels a page is wider than the screen. On a phone, `innerWidth` grows with the page. */
export const OVERFLOW =
  'document.documentElement.scrollWidth - document.documentElement.clientWidth';

/** A color scheme and a screen. */
export interface Look {
  /** Fit for a path. */
  readonly name: `${'light' | 'dark'}-${'desktop' | 'phone'}`;
  /** Of the context in which pages are opened. */
  readonly options: BrowserContextOptions;
}

/** The one of the tests that run every day. */
export const LIGHT_DESKTOP: Look = {
  name: 'light-desktop',
  options: { ...DESKTOP, colorScheme: 'light' },
};

const LOOKS: readonly Look[] = [
  LIGHT_DESKTOP,
  { name: 'dark-desktop', options: { ...DESKTOP, colorScheme: 'dark' } },
  { name: 'light-phone', options: { ...PHONE, colorScheme: 'light' } },
  { name: 'dark-phone', options: { ...PHONE, colorScheme: 'dark' } },
];

/**
 * Adds a test of a journey for light and dark, desktop and phone. All of them run on one setup, so a
 * journey makes what it needs, and tells it from what the others made by the name of its look.
 */
export function itInEachLook(title: string, journey: (look: Look) => Promise<void>): void {
  for (const look of LOOKS) {
    const [scheme, screen] = look.name.split('-');
    it(`${title} (${scheme}, ${screen})`, () => journey(look));
  }
}

/**
 * Checks that axe finds nothing serious on pages, and that they fit the screen.
 * @param pages their paths, each with a part of its heading
 */
export async function checkLook(
  site: BrowserSetup,
  { options }: Look,
  pages: Readonly<Record<string, string>>,
): Promise<void> {
  // The policy of the pages forbids scripts of others, such as axe.
  const page = await site.open('', { ...options, bypassCSP: true });
  const home = page.url();
  for (const [path, name] of Object.entries(pages)) {
    await page.goto(`${home}${path}`, { waitUntil: 'networkidle' });
    await page.getByRole('heading', { level: 1, name }).waitFor();
    expect(await seriousFaultsNow(page), path).to.deep.equal([]);
    expect(await page.evaluate<number>(OVERFLOW), path).to.be.at.most(0);
  }
}
