import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { ask } from '../support/ask.ts';
import { useBrowserStage } from './browser-stage.ts';
import { MOUNT } from './dashboard-stage.ts';

describe('Journeys of a merchant in Chromium', function () {
  const site = useBrowserStage(this, { provoked: /status of 401/ });

  const press = (page: Page, name: string) =>
    page.getByRole('button', { name, exact: true }).first().click();
  const open = (page: Page, list: string) =>
    page.getByRole('navigation').getByRole('link', { name: list, exact: true }).click();
  const dialogOf = (page: Page, name: string) => page.getByRole('dialog', { name });

  it('make a key, register an endpoint, mend what failed, and revoke the key', async () => {
    const { url: host, worker } = site.stage;
    const address = `${site.receiver.url}/hooks`;
    const page = await site.open('');
    await page.getByRole('link', { name: 'Add an endpoint' }).click();
    await page.getByLabel('Address').fill(address);
    await page.getByRole('combobox', { name: 'Events' }).fill('all events');
    await page.getByRole('option', { name: '*' }).first().click();
    await press(page, 'Add the endpoint');
    await press(page, 'I have stored it');

    await open(page, 'API keys');
    await press(page, 'Create a key');
    const form = dialogOf(page, 'Create a test key');
    await form.getByLabel('Name').fill('Shop server');
    await form.getByRole('radio', { name: 'Secret' }).check();
    await press(page, 'Create the key');
    const key = (await dialogOf(page, 'Your new key').locator('pre').textContent()) ?? '';
    await press(page, 'I have stored it');

    site.receiver.script({ status: 500, body: 'Out of order' });
    const body = 'amount=700&currency=eur&payment_method=pm_card_visa';
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const charge = () => ask(`${host}/v1/charges`, { method: 'POST', key, body, headers });
    expect((await charge()).status).to.equal(200);
    await worker.drain();
    await open(page, 'Deliveries');
    await page.getByRole('link', { name: 'charge.succeeded' }).click();
    await page
      .getByRole('region', { name: 'Body of the request' })
      .getByText('700')
      .first()
      .waitFor();
    await page
      .getByRole('region', { name: 'Body of the response' })
      .getByText('Out of order')
      .waitFor();
    await press(page, 'Send it now');
    await page.getByText('It is sent now').waitFor();
    await worker.drain();
    await page.getByText('It has arrived.').waitFor();

    await open(page, 'API keys');
    await page.getByRole('link', { name: 'Shop server' }).click();
    await press(page, 'Revoke');
    await press(page, 'Revoke the key');
    await page.getByText('The key is revoked.').waitFor();
    expect((await charge()).status).to.equal(401);
  });

  it('go on where they were after their session ended on an open page', async () => {
    const page = await site.open('keys');
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    site.stage.login.logOut();
    await open(page, 'Events');
    await page.waitForURL('**/login?**');
    const returnTo = new URL(page.url()).searchParams.get('returnTo') ?? '';
    expect(returnTo).to.equal(`${MOUNT}/${site.stage.account}/test/events`);
    await site.logInAgain(page);
    await page.goto(`${site.stage.url}${returnTo}`);
    await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
  });

  it('disable an endpoint, and enable it again', async () => {
    const { acting, paymount } = site.stage;
    const { id } = await paymount.webhookEndpoints.create(acting, {
      ...{ url: `${site.receiver.url}/other`, enabled_events: ['payout.paid'] },
    });
    const page = await site.open(`endpoints/${id}`);
    const statusOf = async () => (await paymount.webhookEndpoints.retrieve(acting, id)).status;
    await press(page, 'Disable');
    await dialogOf(page, 'Disable the endpoint?').getByRole('button', { name: 'Disable' }).click();
    await page.getByText('The endpoint is disabled.').waitFor();
    await page.getByText('Disabled by a user').waitFor();
    expect(await statusOf()).to.equal('disabled');
    await press(page, 'Enable');
    await dialogOf(page, 'Enable the endpoint?').getByRole('button', { name: 'Enable' }).click();
    await page.getByText('The endpoint is enabled.').waitFor();
    expect(await statusOf()).to.equal('enabled');
  });
});
