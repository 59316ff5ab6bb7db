import { expect } from 'chai';
import { useBrowserSetup } from './browser-setup.ts';

const OVERLAP = { overlap_seconds: 86_400 };

describe('Signing secrets that leaked with a key in Chromium', function () {
  const site = useBrowserSetup(this);

  async function newEndpoint(path: string): Promise<string> {
    const { acting, paymount } = site.setup;
    const url = `${site.receiver.url}${path}`;
    return (await paymount.webhookEndpoints.create(acting, { url, enabled_events: ['*'] })).id;
  }

  /** Reports a leak of a new key, which could read the secrets of every endpoint. */
  async function newLeak(): Promise<string> {
    const { account, clock, paymount } = site.setup;
    const made = { account, livemode: false, type: 'secret', name: 'Leaky' } as const;
    const { secret } = await paymount.keys.create(made);
    clock.advance(1_000);
    await paymount.leaks.report([{ credential: secret, source: 'scan' }]);
    const { json } = await site.setup.call(site.setup.logIn('owner'), '/leaks');
    return (json['data'] as { id: string }[])[0]?.id ?? '';
  }

  it('stay on the page after their rotation until the reader has stored them', async () => {
    const [first, full] = [await newEndpoint('/first'), await newEndpoint('/full')];
    const owner = site.setup.logIn('owner');
    const rotate = () =>
      site.setup.call(owner, `/endpoints/${full}/rotate_secret`, { body: OVERLAP });
    while ((await rotate()).status === 200) site.setup.clock.advance(1_000);
    const page = await site.open(`leaks/${await newLeak()}`);
    await page.getByRole('button', { name: 'Rotate all of them' }).click();
    await page.getByRole('button', { name: 'Rotate them', exact: true }).click();
    const shown = page.getByRole('dialog', { name: 'The new signing secrets' });
    await shown.waitFor();
    // What the page shows of the leak was read again: only the second endpoint is left.
    const section = page.getByRole('region', { name: 'Signing secrets to rotate' });
    await section.getByText(first).waitFor({ state: 'detached' });
    const secrets = shown.locator('pre');
    expect(await secrets.allTextContents()).to.have.lengthOf(1);
    expect(await secrets.first().textContent()).to.match(/^whsec_/);
    await shown.getByText('again on the page of its endpoint').waitFor();
    const left = shown.getByRole('alert').filter({ hasText: 'Not rotated' });
    await left.getByRole('link', { name: full }).waitFor();
    await page.keyboard.press('Escape');
    await shown.getByRole('button', { name: 'I have stored them' }).click();
    await shown.waitFor({ state: 'detached' });
    expect(await page.content()).not.to.include('whsec_');
  });

  it('are shown also when no endpoint of the leak is left to rotate', async () => {
    const { id } = await site.setup.paymount.webhookEndpoints.create(site.setup.acting, {
      url: `${site.receiver.url}/only`,
      enabled_events: ['*'],
    });
    // The second one of the test above has no room for another secret until a day has passed.
    site.setup.clock.advance(2 * 86_400_000);
    const page = await site.open(`leaks/${await newLeak()}`);
    await page.getByRole('link', { name: id }).waitFor();
    await page.getByRole('button', { name: 'Rotate all of them' }).click();
    await page.getByRole('button', { name: 'Rotate them', exact: true }).click();
    const shown = page.getByRole('dialog', { name: 'The new signing secrets' });
    await page
      .getByRole('region', { name: 'Signing secrets to rotate' })
      .waitFor({ state: 'detached' });
    expect((await shown.locator('pre').allTextContents()).length).to.be.greaterThan(0);
  });
});
