import { expect } from 'chai';
import type { BrowserContextOptions } from 'playwright-core';
import { seriousFaults } from '../support/axe.ts';
import type { BrowserStage } from './browser-stage.ts';

/** Every page is loaded twice. */
const LIMIT_MS = 300_000;
/** The narrowest phone of today. */
export const PHONE = {
  ...{ viewport: { width: 320, height: 640 }, isMobile: true, hasTouch: true },
} as const;
const DESKTOP = { viewport: { width: 1280, height: 720 } } as const;
/** By how many pixels a page is wider than the screen. On a phone, `innerWidth` grows with the page. */
export const OVERFLOW =
  'document.documentElement.scrollWidth - document.documentElement.clientWidth';

/**
 * Adds tests that axe finds nothing serious on pages, and that they fit the screen, in both schemes.
 * @param phone the context of a phone
 * @param pages paths of pages, each with a part of its heading; made before the tests run
 */
export function testLooks(
  site: BrowserStage,
  phone: BrowserContextOptions,
  pages: () => Readonly<Record<string, string>>,
): void {
  for (const [look, options] of Object.entries({
    'in light on a wide screen': { colorScheme: 'light' },
    'in dark on a phone': { ...phone, colorScheme: 'dark' },
  } as const)) {
    it(`have no serious fault for axe and fit the screen ${look}`, async function () {
      this.timeout(LIMIT_MS);
      const page = await site.open('', options);
      const home = page.url();
      for (const [path, name] of Object.entries(pages())) {
        await page.goto(`${home}${path}`);
        await page.getByRole('heading', { level: 1, name }).waitFor();
        expect(await seriousFaults(page), path).to.deep.equal([]);
        expect(await page.evaluate<number>(OVERFLOW), path).to.be.at.most(0);
      }
    });
  }
}

/** A color scheme and a screen. */
export interface Look {
  /** Fit for a path. */
  readonly name: `${'light' | 'dark'}-${'desktop' | 'phone'}`;
  /** Of the context in which pages are opened. */
  readonly options: BrowserContextOptions;
}

/** Each pair has both color schemes and both screens. */
const PAIRS: readonly (readonly Look[])[] = [
  [
    { name: 'light-desktop', options: { ...DESKTOP, colorScheme: 'light' } },
    { name: 'dark-phone', options: { ...PHONE, colorScheme: 'dark' } },
  ],
  [
    { name: 'light-phone', options: { ...PHONE, colorScheme: 'light' } },
    { name: 'dark-desktop', options: { ...DESKTOP, colorScheme: 'dark' } },
  ],
];

/**
 * Adds a test of a journey for light and dark, desktop and phone: two tests, whose pairs take turns
 * by the title, because four for each journey take minutes. All of them run on one stage, so a
 * journey makes what it needs, and tells it from what the others made by the name of its look.
 */
export function itInEachLook(title: string, journey: (look: Look) => Promise<void>): void {
  for (const look of PAIRS[title.length % PAIRS.length] ?? []) {
    const [scheme, screen] = look.name.split('-');
    it(`${title} (${scheme}, ${screen})`, () => journey(look));
  }
}
