import { expect } from 'chai';
import type { BrowserContextOptions } from 'playwright-core';
import { seriousFaults } from '../support/axe.ts';
import type { BrowserStage } from './browser-stage.ts';

/** Every page is loaded twice. */
const LIMIT_MS = 300_000;
/** By how many pixels a page is wider than the screen. */
export const OVERFLOW = 'document.documentElement.scrollWidth - window.innerWidth';

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
