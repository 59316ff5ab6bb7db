import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { useBrowserSetup } from './browser-setup.ts';

/** Chromium shows a field of a time in its language; its parts follow each other as one types. */
const AMERICAN = { locale: 'en-US', timezoneId: 'UTC' };

describe('Fields of times by keyboard alone in Chromium', function () {
  const site = useBrowserSetup(this);

  const typeTime = async (page: Page, label: string, text: string) => {
    await page.getByLabel(label, { exact: true }).focus();
    await page.keyboard.type(text);
  };
  const textOf = (page: Page, label: string) =>
    page.getByLabel(label, { exact: true }).inputValue();

  it('filter a list by what was typed, and let a digit of it be changed', async () => {
    const page = await site.open('charges', AMERICAN);
    await typeTime(page, 'From', '030520261030AM');
    expect(await textOf(page, 'From')).to.equal('2026-03-05T10:30');
    await page.waitForURL(/from=2026-03-05T10%3A30/);
    // From the half of the day back to the month.
    for (let parts = 0; parts < 5; parts += 1) await page.keyboard.press('ArrowLeft');
    await page.keyboard.type('12');
    expect(await textOf(page, 'From')).to.equal('2026-12-05T10:30');
    await page.waitForURL(/from=2026-12-05T10%3A30/);
    await page.goto(page.url());
    expect(await textOf(page, 'From')).to.equal('2026-12-05T10:30');
    await page.getByRole('navigation').getByRole('link', { name: 'Charges' }).click();
    await page.getByLabel('From', { exact: true }).and(page.locator('[value=""]')).waitFor();
  });

  it('say that a year cannot be meant, and do not ask the server for it', async () => {
    const page = await site.open('charges', AMERICAN);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await typeTime(page, 'From', '030500021030AM');
    await page.keyboard.press('Tab');
    await page.getByText('Enter a whole time from 1970 to 9999, or none.').waitFor();
    expect(asked.filter((url) => url.includes('created'))).to.deep.equal([]);
  });

  it('say in the form of a key that its end is no time', async () => {
    const page = await site.open('keys?create=1', AMERICAN);
    const dialog = page.getByRole('dialog', { name: 'Create a test key' });
    await dialog.getByLabel('Name').fill('Bookkeeping');
    await dialog.getByRole('radio', { name: 'Secret' }).check();
    await typeTime(page, 'Expires', '03050002');
    await dialog.getByLabel('Name').focus();
    await dialog.getByText('Enter a whole time from 1970 to 9999, or none.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Create the key' }).isDisabled()).to.equal(
      true,
    );
  });
});
