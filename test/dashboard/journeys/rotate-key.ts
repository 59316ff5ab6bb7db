import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { ask } from '../../support/ask.ts';
import { eventually } from '../../support/eventually.ts';
import type { BrowserSetup } from '../browser-setup.ts';
import { keyboardOf } from '../keyboard.ts';
import type { Look } from '../looks.ts';

/** Rotates a key: both work, and each page names the other. */
export async function rotateKey(site: BrowserSetup, look: Look): Promise<void> {
  const { account, paymount, url } = site.setup;
  const name = `Shop server ${look.name}`;
  const statusWith = async (key: string) => (await ask(`${url}/v1/charges`, { key })).status;
  const old = await paymount.keys.create({ account, livemode: false, type: 'secret', name });
  const page = await site.open(`keys/${old.id}`, look.options);
  const keyboard = keyboardOf(page);
  await keyboard.press(button(page, 'Rotate'));
  const dialog = page.getByRole('dialog', { name: `Rotate ${name}?` });
  const overlap = dialog.getByLabel('The old key works for');
  await keyboard.press(overlap, 'ArrowDown');
  await eventually(async () => (await overlap.inputValue()) === '604800');
  await keyboard.press(button(dialog, 'Rotate the key'));
  const shown = page.getByRole('dialog', { name: 'The new key' });
  const secret = (await shown.locator('pre').textContent()) ?? '';
  expect([await statusWith(old.secret), await statusWith(secret)]).to.deep.equal([200, 200]);
  await keyboard.press(button(shown, 'I have stored it'));
  const note = page.getByRole('alert').filter({ hasText: 'This key was rotated' });
  await note.getByText('This one works until').waitFor();
  await keyboard.press(note.getByRole('link', { name: /^key_/ }));
  await page.getByText('It replaces').waitFor();
  await keyboard.press(page.getByRole('main').getByRole('link', { name: 'API keys' }));
  const rows = page.getByRole('row').filter({ hasText: name });
  await rows.nth(1).waitFor();
  expect(await rows.count()).to.equal(2);
}

function button(within: Page | Locator, name: string): Locator {
  return within.getByRole('button', { name });
}
