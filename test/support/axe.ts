import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** The part of axe's report that is read here. */
interface AxeReport {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** What axe finds serious or critical on a page, which is loaded anew without its policy. */
export async function seriousFaults(page: Page): Promise<readonly string[]> {
  // The policy of the page forbids scripts of others.
  const session = await page.context().newCDPSession(page);
  await session.send('Page.setBypassCSP', { enabled: true });
  await page.reload({ waitUntil: 'networkidle' });
  const faults = await seriousFaultsNow(page);
  await session.send('Page.setBypassCSP', { enabled: false });
  return faults;
}

/** The same for a page as it is, with what is open in it; its context has `bypassCSP`. */
export async function seriousFaultsNow(page: Page): Promise<readonly string[]> {
  await page.addScriptTag({ path: AXE });
  const report = await page.evaluate<AxeReport>('axe.run()');
  return report.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}
