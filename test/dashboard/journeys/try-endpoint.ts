import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import type { BrowserSetup } from '../browser-setup.ts';
import { keyboardOf } from '../keyboard.ts';
import type { Look } from '../looks.ts';

/** Registers an endpoint, sends it a test event, and deletes it. */
export async function tryEndpoint(site: BrowserSetup, look: Look): Promise<void> {
  const address = `${site.receiver.url}/${look.name}`;
  const page = await site.open('endpoints', look.options);
  const keyboard = keyboardOf(page);
  await keyboard.press(button(page, 'Add an endpoint').first());
  const dialog = page.getByRole('dialog', { name: 'Add a test endpoint' });
  await keyboard.type(dialog.getByLabel('Address'), address);
  const types = dialog.getByRole('combobox', { name: 'Events' });
  await keyboard.type(types, 'all of charges');
  await page.getByRole('option', { name: 'charge.*' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('option').first().waitFor({ state: 'hidden' });
  await keyboard.press(button(dialog, 'Add the endpoint'));
  const shown = page.getByRole('dialog', { name: 'The signing secret' });
  await keyboard.press(button(shown, 'I have stored it'));
  await keyboard.press(page.getByRole('link', { name: address }));
  await keyboard.press(button(page, 'Send a test event'));
  await keyboard.press(button(page.getByRole('dialog'), 'Make the event'));
  await page.getByRole('heading', { level: 1, name: 'charge.succeeded' }).waitFor();
  await site.setup.worker.drain();
  const arrived = site.receiver.requests.filter(({ path }) => path === `/${look.name}`);
  expect(arrived).to.have.lengthOf(1);
  await page.goBack();
  await keyboard.press(button(page, 'More'));
  await keyboard.choose(page.getByRole('menuitem', { name: 'Delete' }));
  await keyboard.press(button(page.getByRole('dialog'), 'Delete the endpoint'));
  await page.getByText('The endpoint is deleted.').waitFor();
  await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
  await page.getByRole('link', { name: address }).waitFor({ state: 'detached' });
}

function button(within: Page | Locator, name: string): Locator {
  return within.getByRole('button', { name });
}
