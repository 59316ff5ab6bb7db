import { expect } from 'chai';
import { ask } from '../support/ask.ts';
import { eventually } from '../support/eventually.ts';
import { useBrowserSetup } from './browser-setup.ts';

describe('What a merchant reads and looks up in Chromium', function () {
  const site = useBrowserSetup(this);
  let event: string;

  before(async () => {
    const { acting, paymount, secretKey, url, worker } = site.setup;
    site.receiver.script({ status: 500, body: '{"why":{"deep":{"stock":{"left":0}}}}' });
    const endpoint = { url: `${site.receiver.url}/hooks`, enabled_events: ['*'] } as const;
    await paymount.webhookEndpoints.create(acting, endpoint);
    const sale = { amount: 700, currency: 'eur', payment_method: 'pm_card_visa' };
    await paymount.charges.create(acting, sale);
    await worker.drain();
    const { json } = await ask(`${url}/v1/events`, { key: secretKey });
    event = String((json['data'] as { id: string }[])[0]?.id);
  });

  it('is any pasted id, or the reason why it has no page', async () => {
    const page = await site.open('');
    const box = page.getByRole('searchbox', { name: 'Open an ID' });
    await box.fill(` ${event} `);
    await box.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'charge.succeeded' }).waitFor();
    expect(new URL(page.url()).pathname).to.match(new RegExp(`/test/events/${event}$`));
    await box.fill('hello');
    await box.press('Enter');
    expect(await box.getAttribute('aria-invalid')).to.equal('true');
    expect(new URL(page.url()).pathname).to.match(new RegExp(`/test/events/${event}$`));
  });

  it('is where the time of an attempt went, and when the next one is', async () => {
    const { setup } = site;
    const { json } = await setup.call(setup.logIn('owner'), '/deliveries');
    const [delivery] = json['data'] as { id: string }[];
    const page = await site.open(`deliveries/${delivery?.id}`);
    page.setDefaultTimeout(20_000);
    await page.getByText('Attempt 1').waitFor();
    const times = page.getByRole('table', { name: /^Time: \d+ ms$/ });
    for (const step of ['Connect', 'Wait for the answer']) {
      await times.getByRole('rowheader', { name: step }).waitFor();
    }
    await page.getByText('Next attempt', { exact: true }).waitFor();
  });

  it('is JSON that folds, and is copied as a whole', async () => {
    const page = await site.open(`events/${event}`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    page.setDefaultTimeout(20_000);
    const json = page
      .locator('section')
      .filter({ has: page.locator('details') })
      .first();
    const outer = json.locator('details').first();
    const id = json.getByText(`"${event}"`).first();
    await id.waitFor();
    await outer.locator('summary').first().click();
    await id.waitFor({ state: 'hidden' });
    await outer.locator('summary').first().click();
    await id.waitFor();
    await page
      .getByRole('button', { name: /^Copy / })
      .last()
      .click();
    const copied = await eventually(() => page.evaluate<string>('navigator.clipboard.readText()'));
    expect(JSON.parse(copied)).to.include({ id: event, type: 'charge.succeeded' });
  });

  it('is the addresses that used a key, which are added at a press', async () => {
    const { account, paymount, secretKey, url } = site.setup;
    const { status } = await ask(`${url}/v1/balance`, { key: secretKey });
    expect(status).to.equal(200);
    const { data } = await paymount.keys.list({ account, livemode: false });
    const id = data.find(({ type }) => type === 'secret')?.id ?? '';
    // Uses are written every few seconds.
    await eventually(async () => {
      const { addresses } = await paymount.keys.ipSuggestions(id);
      return addresses.find(({ address }) => address === '127.0.0.1');
    });
    const page = await site.open(`keys/${id}`);
    page.setDefaultTimeout(20_000);
    await page.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog', { name: 'Allowed addresses' });
    const seen = dialog.getByRole('region', { name: 'Addresses that used it' });
    await seen.getByRole('button', { name: /^127\.0\.0\.1 \(/ }).click();
    expect(await dialog.getByLabel('Allowed addresses').inputValue()).to.equal('127.0.0.1');
  });
});
