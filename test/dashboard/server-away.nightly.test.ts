import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { useBrowserSetup } from './browser-setup.ts';
import { storeShownEvents } from './store-events.ts';

const SALE = { amount: 700, currency: 'eur', payment_method: 'pm_card_visa' };

describe('A server that stops and starts again under an open page in Chromium', function () {
  const site = useBrowserSetup(this, {
    provoked: /net::ERR_(CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE|SOCKET_NOT_CONNECTED)/,
  });

  const bannerOf = (page: Page) => page.getByText('What you see may be old.');
  const isGone = (page: Page) => bannerOf(page).waitFor({ state: 'detached' });

  // A test that failed may have left it stopped.
  afterEach(() => site.setup.listenAgain());

  it('keeps what was entered on a list, and does it once', async () => {
    const { call, logIn } = site.setup;
    const page = await site.open('keys');
    await page.getByRole('button', { name: 'Create a key' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Create a test key' });
    await dialog.getByLabel('Name').fill('Till 7');
    await dialog.getByRole('radio', { name: 'Secret' }).check();
    await dialog.getByLabel('Allowed addresses').fill('203.0.113.7');
    await site.setup.stopListening();
    await dialog.getByRole('button', { name: 'Create the key' }).click();
    await dialog.getByText('It may have been done: look before you try again.').waitFor();
    await bannerOf(page).waitFor();
    expect(await dialog.getByLabel('Name').inputValue()).to.equal('Till 7');
    await site.setup.listenAgain();
    await isGone(page);
    expect(await dialog.getByLabel('Name').inputValue()).to.equal('Till 7');
    expect(await dialog.getByRole('radio', { name: 'Secret' }).isChecked()).to.equal(true);
    expect(await dialog.getByLabel('Allowed addresses').inputValue()).to.equal('203.0.113.7');
    await dialog.getByRole('button', { name: 'Create the key' }).click();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('link', { name: 'Till 7' }).waitFor();
    const { json } = await call(logIn('owner'), '/keys?limit=100');
    const keys = json['data'] as { name: string }[];
    expect(keys.filter(({ name }) => name === 'Till 7')).to.have.lengthOf(1);
  });

  it('shows the page of an object as it is then, without a reload', async () => {
    const { acting, paymount, worker } = site.setup;
    const url = `${site.receiver.url}/hooks`;
    await paymount.webhookEndpoints.create(acting, { url, enabled_events: ['charge.succeeded'] });
    site.receiver.script({ status: 500, body: 'Out of order' });
    await paymount.charges.create(acting, SALE);
    await worker.drain();
    const page = await site.open('deliveries');
    await page.getByRole('link', { name: 'charge.succeeded' }).first().click();
    await page.getByText('Out of order').waitFor();
    await page.evaluate(`document.body.dataset.mark = 'same page'`);
    await site.setup.stopListening();
    await bannerOf(page).waitFor();
    await page.getByText('Out of order').waitFor();
    site.setup.clock.advance(5 * 60_000 + 60_000);
    await worker.drain();
    await site.setup.listenAgain();
    await isGone(page);
    await page.getByText('It has arrived.').waitFor();
    expect(await page.evaluate('document.body.dataset.mark')).to.equal('same page');
  });

  it('shows in the live tail what happened meanwhile', async () => {
    await storeShownEvents(site.setup, 1);
    const page = await site.open('events?follow=1');
    const rows = page.getByRole('table', { name: 'New events' }).locator('tbody tr');
    await rows.first().waitFor();
    await site.setup.stopListening();
    await page.getByText('Waiting for the server.').waitFor();
    await bannerOf(page).waitFor();
    const missed = await storeShownEvents(site.setup, 3);
    await site.setup.listenAgain();
    await isGone(page);
    for (const id of missed) await rows.filter({ hasText: id }).waitFor();
    await page.getByText('New events appear here as they happen.').waitFor();
    const shown = await rows.getByRole('link', { name: /^evt_/ }).allTextContents();
    expect(new Set(shown).size).to.equal(shown.length);
  });
});
