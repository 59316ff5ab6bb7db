import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { ask } from '../../support/ask.ts';
import { eventually } from '../../support/eventually.ts';
import { keyboardOf } from '../keyboard.ts';
import type { Look } from '../looks.ts';
import { logInByKeyboard, type ShopSetup } from '../shop-setup.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** A new merchant logs in, adds an endpoint, makes a key, mends what failed, and revokes the key. */
export async function setUpShop(shop: ShopSetup, look: Look): Promise<void> {
  const user = await shop.newMerchant();
  const address = `${shop.receiver.url}/${look.name}`;
  const page = await shop.newPage(look.options);
  const keyboard = keyboardOf(page);
  await page.goto(`${shop.url}/dashboard/`);
  await logInByKeyboard(page, user);

  await keyboard.press(page.getByRole('link', { name: 'Add an endpoint' }));
  await keyboard.type(page.getByLabel('Address'), address);
  await keyboard.type(page.getByRole('combobox', { name: 'Events' }), 'all events');
  await page.getByRole('option', { name: '*' }).first().waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('option').first().waitFor({ state: 'hidden' });
  await keyboard.press(button(page, 'Add the endpoint'));
  await keyboard.press(button(page, 'I have stored it'));

  await keyboard.goTo('API keys');
  await keyboard.press(button(page, 'Create a key').first());
  const form = page.getByRole('dialog', { name: 'Create a test key' });
  await keyboard.type(form.getByLabel('Name'), 'Shop server');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('ArrowDown');
  expect(await form.getByRole('radio', { name: 'Secret' }).isChecked()).to.equal(true);
  await keyboard.press(button(page, 'Create the key'));
  const shown = page.getByRole('dialog', { name: 'Your new key' });
  const key = (await shown.locator('pre').textContent()) ?? '';
  await keyboard.press(button(page, 'I have stored it'));

  const arrived = () => shop.receiver.requests.filter(({ path }) => path === `/${look.name}`);
  await keyboard.goTo('Home');
  await keyboard.press(page.getByRole('link', { name: 'Make a test event' }));
  await keyboard.press(button(page, 'Make the event'));
  await page.getByRole('heading', { level: 1, name: 'charge.succeeded' }).waitFor();
  await eventually(() => arrived().length === 1);
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor();
  expect(await page.getByRole('dialog').count()).to.equal(0);

  shop.receiver.script({ status: 500, body: 'Out of order' });
  const body = 'amount=700&currency=eur&payment_method=pm_card_visa';
  const charge = () => ask(`${shop.url}/v1/charges`, { method: 'POST', key, body, headers: FORM });
  expect((await charge()).status).to.equal(200);
  await keyboard.goTo('Deliveries');
  await keyboard.press(page.getByRole('link', { name: 'charge.succeeded' }).first());
  await page
    .getByRole('region', { name: 'Body of the request' })
    .getByText('700')
    .first()
    .waitFor();
  await page
    .getByRole('region', { name: 'Body of the response' })
    .getByText('Out of order')
    .waitFor();
  await keyboard.press(button(page, 'Send it now'));
  await page.getByText('It has arrived.').waitFor();
  expect(arrived()).to.have.lengthOf(3);

  await keyboard.goTo('API keys');
  await keyboard.press(page.getByRole('link', { name: 'Shop server' }));
  await keyboard.press(button(page, 'Revoke'));
  await keyboard.press(button(page, 'Revoke the key'));
  await page.getByText('The key is revoked.').waitFor();
  expect((await charge()).status).to.equal(401);
}

function button(page: Page, name: string): Locator {
  return page.getByRole('button', { name, exact: true });
}
