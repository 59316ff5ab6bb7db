import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { useBrowserSetup } from './browser-setup.ts';
import { tryEndpoint } from './journeys/try-endpoint.ts';
import { keyboardOf } from './keyboard.ts';
import { itInEachLook } from './looks.ts';

const SALE = { amount: 700, currency: 'eur', payment_method: 'pm_card_visa' };

describe('Journeys with webhooks and charges by keyboard alone in Chromium', function () {
  const site = useBrowserSetup(this);

  const button = (within: Page | Locator, name: string | RegExp) =>
    within.getByRole('button', { name });
  const hasFocus = (page: Page, target: Locator) => target.and(page.locator(':focus')).waitFor();

  itInEachLook('register an endpoint, send it a test event, and delete it', (look) =>
    tryEndpoint(site, look),
  );

  itInEachLook(
    'refund a charge; Escape leaves the dialog, and the focus is where it was',
    async (look) => {
      const { acting, paymount } = site.setup;
      const { id } = await paymount.charges.create(acting, SALE);
      const page = await site.open(`charges/${id}`, look.options);
      const keyboard = keyboardOf(page);
      const refund = button(page, 'Refund');
      await keyboard.press(refund);
      const dialog = page.getByRole('dialog', { name: 'Refund the charge' });
      await hasFocus(page, dialog.getByLabel('Amount (EUR)'));
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await hasFocus(page, refund);
      await page.keyboard.press('Enter');
      await keyboard.type(dialog.getByLabel('Amount (EUR)'), '2.50');
      await page.keyboard.press('Enter');
      await page.getByText('The refund of €2.50 was made.').waitFor();
    },
  );

  itInEachLook('disable an endpoint, and enable it again', async (look) => {
    const { acting, paymount } = site.setup;
    const { id } = await paymount.webhookEndpoints.create(acting, {
      url: `${site.receiver.url}/other`,
      enabled_events: ['payout.paid'],
    });
    const page = await site.open(`endpoints/${id}`, look.options);
    const keyboard = keyboardOf(page);
    const statusOf = async () => (await paymount.webhookEndpoints.retrieve(acting, id)).status;
    const dialog = page.getByRole('dialog');
    await keyboard.press(page.getByRole('button', { name: 'Disable', exact: true }));
    await keyboard.press(button(dialog, 'Disable'));
    await page.getByText('The endpoint is disabled.').waitFor();
    await page.getByText('Disabled by a user').waitFor();
    expect(await statusOf()).to.equal('disabled');
    // Until it is gone, the dialog shows what it would do next.
    await dialog.waitFor({ state: 'detached' });
    await keyboard.press(page.getByRole('button', { name: 'Enable', exact: true }));
    await keyboard.press(button(dialog, 'Enable'));
    await page.getByText('The endpoint is enabled.').waitFor();
    expect(await statusOf()).to.equal('enabled');
  });

  itInEachLook('count a replay, and send it', async (look) => {
    const { acting, paymount } = site.setup;
    const url = `${site.receiver.url}/hooks`;
    await paymount.webhookEndpoints.create(acting, { url, enabled_events: ['*'] });
    await paymount.charges.create(acting, SALE);
    const page = await site.open('replays', look.options);
    const keyboard = keyboardOf(page);
    await keyboard.press(button(page, 'Send many again'));
    const dialog = page.getByRole('dialog', { name: 'Send many events again' });
    const states = dialog.getByLabel('Only events');
    await keyboard.press(states, 'ArrowUp');
    await eventually(async () => (await states.inputValue()) === '');
    await keyboard.press(button(dialog, 'Count them first'));
    await page.waitForResponse(/replays\/rpl_/);
    await site.setup.worker.drain();
    await keyboard.press(button(dialog, /^Send \d+ deliver(y|ies)$/));
    await page.getByRole('heading', { level: 1, name: 'Replay', exact: true }).waitFor();
  });

  itInEachLook('open and close an event in the live tail, and go on from there', async (look) => {
    const page = await site.open('events?follow=1', look.options);
    const keyboard = keyboardOf(page);
    await keyboard.press(button(page, /^Show the content/).first());
    await page.getByRole('region', { name: 'JSON of the event' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'JSON of the event' }).waitFor({ state: 'detached' });
    await page.getByText('Paused while you read.').waitFor();
    await site.setup.paymount.charges.create(site.setup.acting, SALE);
    const more = button(page, '1 new event');
    await more.waitFor();
    await page.keyboard.press('Shift+Tab');
    for (let tabs = 0; tabs < 10 && !(await more.and(page.locator(':focus')).count()); tabs += 1) {
      await page.keyboard.press('Shift+Tab');
    }
    await page.keyboard.press('Enter');
    await page.getByText('New events appear here as they happen.').waitFor();
  });
});
