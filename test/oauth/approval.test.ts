import { expect } from 'chai';
import type { BrowserContext } from 'playwright-core';
import { seriousFaults } from '../support/axe.ts';
import { CHROMIUM_LIMIT_MS, needsChromium, newContext } from '../support/chromium.ts';
import { type BrowserSetup, startBrowserSetup } from './browser-setup.ts';

/** The usual answer; the others are in `browser.nightly.test.ts`. */
describe('The approval of a platform in Chromium', function () {
  this.timeout(CHROMIUM_LIMIT_MS);
  let site: BrowserSetup;
  let context: BrowserContext;

  before(async function () {
    needsChromium(this);
    site = await startBrowserSetup();
    context = await newContext({});
  });
  after(async () => {
    await context?.close();
    await site?.close();
  });

  it('leads from the login over the approval back to the platform', async () => {
    const page = await site.atConsent(context);
    await page.getByRole('button', { name: 'Allow' }).click();
    const sent = await site.atPlatform(page);
    expect([sent.get('state'), sent.get('iss')]).to.deep.equal(['a state', site.hostUrl]);
    expect(await page.textContent('h1')).to.equal('Connected');
    expect((await site.exchange(sent.get('code'))).json['scope']).to.equal(
      'charges:read charges:write payouts:read',
    );
  });

  it('has nothing that axe finds serious on its page', async () => {
    expect(await seriousFaults(await site.atConsent(context))).to.deep.equal([]);
  });
});
