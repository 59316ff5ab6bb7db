import { expect } from 'chai';
import { setUpShop } from './journeys/set-up-shop.ts';
import { keyboardOf } from './keyboard.ts';
import { itInEachLook } from './looks.ts';
import { logInByKeyboard, useShopSetup } from './shop-setup.ts';

/** The pages of the navigation, and the names that they show. */
const PAGES = [
  'Charges',
  'Refunds',
  'Balance',
  'Bank accounts',
  'API keys',
  'Webhooks',
  'Deliveries',
  'Events',
  'Replays',
  'Connected applications',
  'Leaks',
  'Audit log',
  'Settings',
  'Home',
  'API reference',
];

describe('Journeys of a new merchant from the login, by keyboard alone in Chromium', function () {
  const shop = useShopSetup(this, /status of 401/);

  itInEachLook('log in, and open every page', async (look) => {
    const user = await shop.newMerchant();
    const page = await shop.newPage(look.options);
    await page.goto(`${shop.url}/dashboard/`);
    await logInByKeyboard(page, user);
    const keyboard = keyboardOf(page);
    for (const name of PAGES) {
      await keyboard.goTo(name);
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
    }
  });

  itInEachLook('log in, make a key, mend what failed, and revoke the key', (look) =>
    setUpShop(shop, look),
  );

  itInEachLook('log in again where the session ended, and go on there', async (look) => {
    const user = await shop.newMerchant();
    const page = await shop.newPage(look.options);
    const keyboard = keyboardOf(page);
    await page.goto(`${shop.url}/dashboard/${user.account}/test/keys`);
    await logInByKeyboard(page, user);
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
    const ended = await page.context().cookies();
    await page.context().clearCookies();
    await keyboard.goTo('Events');
    await logInByKeyboard(page, { ...user, password: 'a wrong one' });
    await page.getByText('The name or the password is wrong.').waitFor();
    await logInByKeyboard(page, user);
    await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
    expect(page.url()).to.equal(`${shop.url}/dashboard/${user.account}/test/events`);
    expect((await page.context().cookies())[0]?.value).not.to.equal(ended[0]?.value);
  });
});
