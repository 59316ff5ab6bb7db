import { expect } from 'chai';
import { seriousFaultsNow } from '../support/axe.ts';
import { useBrowserSetup } from './browser-setup.ts';
import { MOUNT } from './dashboard-setup.ts';

describe('The API reference in the dashboard in Chromium', function () {
  const site = useBrowserSetup(this);

  it('sends a request with the key that the reader enters, and forgets the key', async () => {
    const page = await site.open('keys');
    await page.getByRole('link', { name: 'API reference' }).click();
    await page.getByRole('heading', { level: 1, name: 'API reference' }).waitFor();
    await page.locator('.opblock').first().waitFor();
    expect(await page.locator('.opblock').count()).to.be.greaterThan(30);
    const key = page.getByLabel('Test key', { exact: true });
    await key.fill('sk_live_');
    await page.getByText('This is not a test key. Requests go without it.').waitFor();
    await key.fill(site.setup.secretKey);
    await page.locator('#operations-charges-listCharges .opblock-summary-control').click();
    await page.getByRole('button', { name: 'Try it out' }).click();
    const answer = page.waitForResponse(`${site.setup.url}/v1/charges**`);
    await page.getByRole('button', { name: 'Execute' }).click();
    expect((await answer).status()).to.equal(200);
    await page.locator('.live-responses-table').getByText('"object": "list"').waitFor();
    await page.reload();
    await page.locator('.opblock').first().waitFor();
    expect(await page.evaluate<string>('JSON.stringify(localStorage)')).not.to.include('sk_test');
  });

  it('has no serious fault for axe, with what is open in it', async () => {
    const page = await site.open('', { bypassCSP: true });
    await page.goto(`${site.setup.url}${MOUNT}/docs`);
    await page.locator('.opblock').first().waitFor();
    expect(await seriousFaultsNow(page), 'the list').to.deep.equal([]);
    await page.locator('#operations-charges-createCharge .opblock-summary-control').click();
    await page.getByRole('button', { name: 'Try it out' }).click();
    expect(await seriousFaultsNow(page), 'a route').to.deep.equal([]);
    await page.getByRole('button', { name: 'Execute' }).click();
    await page.locator('.live-responses-table').waitFor();
    expect(await seriousFaultsNow(page), 'an answer').to.deep.equal([]);
    // Without a key the API answers 401.
    site.complaints.length = 0;
  });

  it('shows the routes of an API on another origin, and sends nothing there', async () => {
    const { paymount, login, app, url } = site.setup;
    const apiReference = { url: 'https://api.example.com/payments' };
    const { identity } = login;
    app.use('/far', paymount.dashboardRouter({ identity, apiReference, requireTls: false }));
    const page = await site.open('keys');
    await page.goto(`${url}/far/docs`);
    await page.locator('#operations-charges-listCharges .opblock-summary-control').click();
    await page.getByText('Parameters').first().waitFor();
    expect(await page.getByRole('button', { name: 'Try it out' }).count()).to.equal(0);
  });
});
