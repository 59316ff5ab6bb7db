import { expect } from 'chai';
import type { Page, Route } from 'playwright-core';
import { useBrowserSetup } from './browser-setup.ts';

const SALE = { amount: 700, currency: 'eur', payment_method: 'pm_card_visa' };

describe('Answers that fail, and late ones, in Chromium', function () {
  const site = useBrowserSetup(this, { provoked: /ERR_FAILED|status of (404|403|400)/ });

  const newKey = async (name: string) => {
    const { account, paymount } = site.setup;
    return paymount.keys.create({ account, livemode: false, type: 'secret', name });
  };
  const refuse = (page: Page, path: string, status: number, code: string) =>
    page.route(path, (route) =>
      route.fulfill({ status, json: { error: { code, message: `The server says ${code}.` } } }),
    );

  it('a page says that its object was not read again, and still shows it', async () => {
    const { id } = await newKey('Shop server');
    const page = await site.open(`keys/${id}`);
    await page.getByRole('heading', { name: 'Shop server' }).waitFor();
    await refuse(page, `**/keys/${id}`, 400, 'parameter_invalid');
    await page.getByText('The server says parameter_invalid.').waitFor();
    await page.getByRole('heading', { name: 'Shop server' }).waitFor();
    await page.getByRole('button', { name: 'Revoke' }).waitFor();
  });

  for (const [status, code] of [
    [404, 'resource_missing'],
    [403, 'permission_denied'],
  ] as const) {
    it(`a page shows its object no more when it answers ${status}`, async () => {
      const { id } = await newKey('Shop server');
      const page = await site.open(`keys/${id}`);
      await page.getByRole('heading', { name: 'Shop server' }).waitFor();
      await refuse(page, `**/keys/${id}`, status, code);
      await page.getByText(`The server says ${code}.`).waitFor();
      expect(await page.getByRole('heading', { name: 'Shop server' }).count()).to.equal(0);
    });
  }

  it('a dialog stays open while its action runs, so that its error is seen', async () => {
    const { id } = await newKey('Shop server');
    const page = await site.open(`keys/${id}`);
    let held: Route | undefined;
    await page.route(`**/keys/${id}/revoke`, (route) => {
      held = route;
    });
    await page.getByRole('button', { name: 'Revoke' }).click();
    const dialog = page.getByRole('dialog', { name: 'Revoke Shop server?' });
    const sent = page.waitForRequest(`**/keys/${id}/revoke`);
    await dialog.getByRole('button', { name: 'Revoke the key' }).click();
    await sent;
    await page.keyboard.press('Escape');
    expect(await dialog.getByRole('button', { name: 'Cancel' }).isDisabled()).to.equal(true);
    await held?.fulfill({
      status: 400,
      json: { error: { code: 'x', message: 'It was refused.' } },
    });
    await dialog.getByText('It was refused.').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  it('an action that ends after the reader has left does not take the reader away', async () => {
    const { acting, paymount } = site.setup;
    const url = `${site.receiver.url}/hooks`;
    const { id } = await paymount.webhookEndpoints.create(acting, { url, enabled_events: ['*'] });
    await paymount.charges.create(acting, SALE);
    const page = await site.open('events');
    const home = page.url();
    let release: () => void = () => undefined;
    const isReleased = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.getByRole('heading', { name: 'Events' }).waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('link', { name: url }).click();
    await page.route(`**/endpoints/${id}`, async (route) => {
      if (route.request().method() !== 'DELETE') return route.continue();
      await isReleased;
      return route.continue();
    });
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const sent = page.waitForRequest((request) => request.method() === 'DELETE');
    await page.getByRole('button', { name: 'Delete the endpoint' }).click();
    await sent;
    // The dialog covers the menu, but not the buttons of the browser.
    await page.evaluate('history.go(-2)');
    await page.getByRole('heading', { name: 'Events' }).waitFor();
    const answered = page.waitForResponse((response) => response.request().method() === 'DELETE');
    release();
    await answered;
    await page.getByText('The endpoint is deleted.').waitFor();
    expect(page.url()).to.equal(home);
  });
});
