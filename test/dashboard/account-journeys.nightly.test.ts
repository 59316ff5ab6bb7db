import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { connectPlatform } from '../support/connect-platform.ts';
import { useBrowserSetup } from './browser-setup.ts';
import { MOUNT } from './dashboard-setup.ts';
import { keyboardOf } from './keyboard.ts';
import { itInEachLook } from './looks.ts';

const SALE = { amount: 700, currency: 'eur', payment_method: 'pm_card_visa' };

describe('Journeys with an account by keyboard alone in Chromium', function () {
  const site = useBrowserSetup(this);

  const button = (within: Page | Locator, name: string) =>
    within.getByRole('button', { name, exact: true });
  const link = (within: Page | Locator, name: string) => within.getByRole('link', { name });
  const tableOf = (page: Page, name: string) => page.getByRole('table', { name });

  itInEachLook('rotate a signing secret: deliveries carry a signature of both', async (look) => {
    const { paymount, acting, worker } = site.setup;
    const { id } = await paymount.webhookEndpoints.create(acting, {
      url: `${site.receiver.url}/${look.name}`,
      enabled_events: ['charge.succeeded'],
    });
    const page = await site.open(`endpoints/${id}`, look.options);
    const keyboard = keyboardOf(page);
    await keyboard.press(button(page, 'More'));
    await keyboard.choose(page.getByRole('menuitem', { name: 'Rotate the signing secret' }));
    const dialog = page.getByRole('dialog', { name: 'Rotate the signing secret?' });
    await keyboard.press(button(dialog, 'Create the new secret'));
    const shown = page.getByRole('dialog', { name: 'The new signing secret' });
    expect(await shown.locator('pre').textContent()).to.match(/^whsec_/);
    await keyboard.press(button(shown, 'I have stored it'));
    await paymount.charges.create(acting, SALE);
    await worker.drain();
    // The endpoints of the other looks get this event, too.
    const request = site.receiver.requests.find(({ path }) => path === `/${look.name}`);
    expect(String(request?.headers['service-signature']).match(/v1=/g)).to.have.lengthOf(2);
  });

  itInEachLook('change the settings, and find what changed in the audit log', async (look) => {
    const { account, paymount } = site.setup;
    const { name: former } = await paymount.accounts.retrieve(account);
    const page = await site.open('settings', look.options);
    const keyboard = keyboardOf(page);
    await keyboard.type(page.getByLabel('Name'), `Tea ${look.name}`);
    await keyboard.type(page.getByLabel('E-mail for notices'), `${look.name}@tea.example`);
    await keyboard.press(button(page, 'Save'));
    await page.getByText('The account is changed.').waitFor();
    const { name, email } = await paymount.accounts.retrieve(account);
    expect([name, email]).to.deep.equal([`Tea ${look.name}`, `${look.name}@tea.example`]);
    const latest = page.getByLabel('If several periods were missed');
    await latest.selectOption({ label: 'Charge the newest; the others are void' });
    await page.getByLabel('A dispute that is lost ends the subscription').click();
    await keyboard.press(button(page, 'Change the billing'));
    await page.getByText('The billing of subscriptions is changed.').waitFor();
    await keyboard.goTo('Audit log');
    await keyboard.press(link(tableOf(page, 'Audit log'), 'account.update').first());
    await page.getByRole('heading', { level: 1, name: 'account.update' }).waitFor();
    await page.getByText('user user-1').waitFor();
    const before = page.getByRole('region', { name: 'Before' });
    const after = page.getByRole('region', { name: 'After' });
    expect(await before.textContent()).to.include(former);
    expect(await after.textContent()).to.include(`Tea ${look.name}`);
  });

  itInEachLook('read how a key leaked, and dismiss the leak', async (look) => {
    const { account, paymount } = site.setup;
    const made = { account, livemode: false, type: 'secret', name: 'Leaky' } as const;
    const { secret } = await paymount.keys.create(made);
    const url = `https://git.example/${look.name}.env`;
    await paymount.leaks.report([{ credential: secret, source: 'scan', url }]);
    const page = await site.open('leaks', look.options);
    const keyboard = keyboardOf(page);
    await keyboard.press(link(tableOf(page, 'Leaks'), 'Key').first());
    await page.getByRole('heading', { level: 1, name: 'Leak of a key' }).waitFor();
    await page.getByText(url).waitFor();
    expect(await page.content()).not.to.include(secret);
    await keyboard.press(button(page, 'Dismiss'));
    await keyboard.press(button(page.getByRole('dialog'), 'Dismiss'));
    await page.getByText('The leak is dismissed.').waitFor();
    await page.getByRole('main').getByText('Dismissed', { exact: true }).first().waitFor();
  });

  itInEachLook('disconnect an application', async (look) => {
    const { account, paymount } = site.setup;
    await connectPlatform(paymount, account);
    const page = await site.open('applications', look.options);
    const keyboard = keyboardOf(page);
    await keyboard.press(link(tableOf(page, 'Connected applications'), 'An app'));
    await page.getByText('See charges and refunds').waitFor();
    await keyboard.press(button(page, 'Disconnect'));
    const dialog = page.getByRole('dialog', { name: 'Disconnect An app?' });
    await keyboard.press(button(dialog, 'Disconnect'));
    await page.getByText('No application is connected').waitFor();
  });

  itInEachLook(
    'change the account and the environment, and stay on the same list',
    async (look) => {
      const { account, paymount } = site.setup;
      const made = { name: 'Second shop', country: 'DE', default_currency: 'eur' };
      const { id: second } = await paymount.accounts.create(made);
      const accounts = [
        { id: account, name: 'Test shop', role: 'owner' },
        { id: second, name: 'Second shop', role: 'viewer' },
      ] as const;
      const page = await site.open('keys', { user: { accounts }, ...look.options });
      const keyboard = keyboardOf(page);
      await link(page, 'test secret').waitFor();
      await keyboard.openMenu();
      await keyboard.press(page.getByLabel('Account'), 'ArrowDown');
      await page.waitForURL(`**${MOUNT}/${second}/test/keys`);
      await page.getByText('There is no such key').waitFor();
      expect(await button(page, 'Create a key').count()).to.equal(0);
      await keyboard.openMenu();
      await keyboard.press(page.getByRole('link', { name: 'Live', exact: true }), 'Enter');
      await page.waitForURL(`**${MOUNT}/${second}/live/keys`);
      await page.getByRole('banner').getByText('Live', { exact: true }).waitFor();
    },
  );
});
