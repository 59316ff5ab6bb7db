import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { ask } from '../support/ask.ts';
import { useBrowserSetup } from './browser-setup.ts';
import { MOUNT } from './dashboard-setup.ts';
import { rotateKey } from './journeys/rotate-key.ts';
import { keyboardOf } from './keyboard.ts';
import { itInEachLook } from './looks.ts';

const HOUR_MS = 3_600_000;

describe('Journeys with keys by keyboard alone in Chromium', function () {
  const site = useBrowserSetup(this);

  const button = (within: Page | Locator, name: string) => within.getByRole('button', { name });
  const statusWith = async (key: string) =>
    (await ask(`${site.setup.url}/v1/charges`, { key })).status;

  async function newKey(name: string) {
    const { account, paymount } = site.setup;
    return paymount.keys.create({ account, livemode: false, type: 'secret', name });
  }

  itInEachLook('rotate a key: both work, and each page names the other', (look) =>
    rotateKey(site, look),
  );

  itInEachLook(
    'change the addresses of a key, after a warning that it stops what is in use',
    async (look) => {
      const { id, secret } = await newKey('Warehouse');
      expect(await statusWith(secret)).to.equal(200);
      const page = await site.open(`keys/${id}`, look.options);
      const keyboard = keyboardOf(page);
      await keyboard.press(button(page, 'Edit'));
      const dialog = page.getByRole('dialog', { name: 'Allowed addresses' });
      await keyboard.type(dialog.getByLabel('Allowed addresses'), '203.0.113.7');
      await keyboard.press(button(dialog, 'Save'));
      const warning = dialog.getByRole('alert');
      await warning.getByText('from 127.0.0.1, which the list leaves out').waitFor();
      expect(await button(dialog, 'Save').isDisabled()).to.equal(true);
      expect(await statusWith(secret)).to.equal(200);
      await keyboard.press(warning.getByRole('checkbox'), 'Space');
      await keyboard.press(button(dialog, 'Save'));
      await page.getByText('The addresses are changed.').waitFor();
      await page.getByText('203.0.113.7').waitFor();
      expect(await statusWith(secret)).to.equal(403);
      expect(site.complaints.splice(0).join()).to.include('409');
    },
  );

  itInEachLook(
    'ask again before a list locks out what is in use, when the list was changed',
    async (look) => {
      const { id, secret } = await newKey('Till');
      expect(await statusWith(secret)).to.equal(200);
      const page = await site.open(`keys/${id}`, look.options);
      const keyboard = keyboardOf(page);
      await keyboard.press(button(page, 'Edit'));
      const dialog = page.getByRole('dialog', { name: 'Allowed addresses' });
      await keyboard.type(dialog.getByLabel('Allowed addresses'), '203.0.113.7');
      await keyboard.press(button(dialog, 'Save'));
      await keyboard.press(dialog.getByRole('alert').getByRole('checkbox'), 'Space');
      await keyboard.type(dialog.getByLabel('Allowed addresses'), '203.0.113.8');
      await dialog.getByRole('alert').waitFor({ state: 'detached' });
      await keyboard.press(button(dialog, 'Save'));
      await dialog
        .getByRole('alert')
        .getByText('from 127.0.0.1, which the list leaves out')
        .waitFor();
      expect(await statusWith(secret)).to.equal(200);
      expect(site.complaints.splice(0).join()).to.include('409');
    },
  );

  it('are not in the list of keys to look at once they have expired', async () => {
    const { account, clock, paymount } = site.setup;
    const made = { account, livemode: false, type: 'secret' } as const;
    for (const [name, days] of [
      ['Ended', 1],
      ['Ending', 3],
    ] as const) {
      const expires_at = new Date(clock.now().getTime() + days * 24 * HOUR_MS).toISOString();
      await paymount.keys.create({ ...made, name, expires_at });
    }
    clock.advance(2 * 24 * HOUR_MS);
    const page = await site.open('');
    const list = page.getByRole('region', { name: 'Keys to look at' });
    await list.getByRole('link', { name: 'Ending' }).waitFor();
    expect(await list.getByRole('link', { name: 'Ended' }).count()).to.equal(0);
  });

  itInEachLook(
    'make a live key after a fresh login, which keeps what was entered',
    async (look) => {
      const { clock, url } = site.setup;
      const authTime = new Date(clock.now().getTime() - HOUR_MS);
      const page = await site.open('keys', {
        environment: 'live',
        user: { authTime },
        ...look.options,
      });
      const keyboard = keyboardOf(page);
      await keyboard.press(button(page, 'Create a key').first());
      const dialog = page.getByRole('dialog', { name: 'Create a live key' });
      await keyboard.type(dialog.getByLabel('Name'), 'Bookkeeping');
      await keyboard.press(dialog.getByLabel('See charges and refunds'), 'Space');
      await keyboard.press(button(dialog, 'Create the key'));
      await keyboard.press(dialog.getByRole('link', { name: 'Log in again' }));
      await page.waitForURL('**/login?**');
      const returnTo = new URL(page.url()).searchParams.get('returnTo') ?? '';
      expect(returnTo).to.equal(`${MOUNT}/${site.setup.account}/live/keys?create=1`);
      expect(site.setup.login.visits.at(-1)?.hint.reason).to.equal('reauthenticate');
      await site.logInAgain(page);
      await page.goto(`${url}${returnTo}`);
      await button(dialog, 'Create the key').waitFor();
      expect(await dialog.getByLabel('Name').inputValue()).to.equal('Bookkeeping');
      await keyboard.press(button(dialog, 'Create the key'));
      const shown = page.getByRole('dialog', { name: 'Your new key' });
      expect(await shown.locator('pre').textContent()).to.match(/^rk_live_/);
      await keyboard.press(button(shown, 'I have stored it'));
      await button(page, 'Create a key').first().press('Enter');
      expect(await dialog.getByLabel('Name').inputValue()).to.equal('');
      expect(site.complaints.splice(0).join()).to.include('401');
    },
  );
});
