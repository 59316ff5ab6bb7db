import { expect } from 'chai';
import { ask } from '../support/ask.ts';
import { startReceiver } from '../support/receiver.ts';
import { useBrowserSetup } from './browser-setup.ts';
import { checkLook, itInEachLook } from './looks.ts';

const HOSTILE = '<img src=x onerror="document.title=1">';
/** Every list, and the name that its page shows. */
const PAGES = {
  '': 'Home',
  charges: 'Charges',
  refunds: 'Refunds',
  balance: 'Balance',
  'bank-accounts': 'Bank accounts',
  keys: 'API keys',
  endpoints: 'Webhooks',
  deliveries: 'Deliveries',
  events: 'Events',
  replays: 'Replays',
  applications: 'Connected applications',
  leaks: 'Leaks',
  audit: 'Audit log',
  settings: 'Settings',
} as const;

describe('The pages of the dashboard in Chromium', function () {
  const site = useBrowserSetup(this);

  async function trigger(): Promise<void> {
    const { setup } = site;
    const body = new URLSearchParams({ type: 'charge.succeeded' }).toString();
    const { status } = await ask(`${setup.url}/v1/test_helpers/events`, {
      method: 'POST',
      key: setup.secretKey,
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(status).to.equal(200);
    await setup.worker.drain();
  }

  it('refund a part of a charge once, and show what is left', async () => {
    const { setup } = site;
    const sale = { amount: 700, currency: 'eur', payment_method: 'pm_card_visa' };
    const { id } = await setup.paymount.charges.create(setup.acting, sale);
    const page = await site.open(`charges/${id}`);
    await page.getByRole('button', { name: 'Refund' }).click();
    const dialog = page.getByRole('dialog');
    const amount = dialog.getByLabel('Amount (EUR)');
    expect(await amount.inputValue()).to.equal('7.00');
    await amount.fill('7.01');
    await dialog.getByText('Enter an amount up to 7.00').waitFor();
    await amount.fill('2,5');
    await dialog.getByRole('button', { name: 'Refund €2.50' }).click();
    await page.getByText('The refund of €2.50 was made.').waitFor();
    await page.getByRole('table', { name: 'Refunds' }).getByText('€2.50').waitFor();
    expect((await setup.paymount.charges.retrieve(setup.acting, id)).amount_refunded).to.equal(250);
    await page.getByRole('button', { name: 'Refund' }).click();
    expect(await dialog.getByLabel('Amount (EUR)').inputValue()).to.equal('4.50');
  });

  it('make a test event of a chosen type', async () => {
    const page = await site.open('events');
    await page.getByRole('button', { name: 'Make a test event' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: /^Make/ }).click();
    await dialog.waitFor({ state: 'detached' });
  });

  it('register an endpoint, show why a delivery failed, and send it again', async () => {
    site.receiver.script({ status: 500, body: `Out of order ${HOSTILE}` });
    const page = await site.open('endpoints');
    await page.getByRole('button', { name: 'Add an endpoint' }).first().click();
    await page.getByLabel('Address').fill(`${site.receiver.url}/hooks`);
    await page.getByRole('combobox', { name: 'Events' }).fill('refund');
    await page.getByRole('option', { name: 'charge.refunded' }).waitFor();
    await page.getByRole('combobox', { name: 'Events' }).fill('all of charges');
    await page.getByRole('option', { name: 'charge.*' }).click();
    await page.getByRole('button', { name: 'Add the endpoint' }).click();
    const secret = page.getByRole('region', { name: 'Signing secret' });
    const shown = await secret.textContent();
    expect(shown).to.match(/^whsec_/);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await secret.waitFor({ state: 'detached' });
    await trigger();
    await page.getByRole('link', { name: `${site.receiver.url}/hooks` }).click();
    await page.getByRole('button', { name: 'Show the signing secret' }).click();
    expect(await secret.locator('pre').textContent()).to.equal(shown?.trim());
    await page.getByRole('button', { name: 'Hide the signing secret' }).click();
    await page.getByRole('button', { name: 'Show the signing secret' }).waitFor();
    expect(await page.content()).not.to.include('whsec_');
    await page.getByRole('link', { name: 'charge.succeeded' }).click();
    await page.getByText(`Out of order ${HOSTILE}`).waitFor();
    await page.getByRole('button', { name: 'Send it now' }).click();
    await page.getByText('It is sent now').waitFor();
    await site.setup.worker.drain();
    for (const name of ['Attempt 2', 'Attempt 1'])
      await page.getByRole('button', { name, expanded: true }).waitFor();
    expect(site.receiver.requests).to.have.lengthOf(2);
  });

  it('say what a failure means, and how many attempts were made', async () => {
    const { acting, paymount, worker } = site.setup;
    const gone = await startReceiver();
    await gone.close();
    const { id } = await paymount.webhookEndpoints.create(acting, {
      url: gone.url,
      enabled_events: ['charge.succeeded'],
    });
    await trigger();
    await worker.drain();
    const page = await site.open(`endpoints/${id}`);
    const row = page
      .getByRole('table', { name: 'Deliveries', exact: true })
      .locator('tbody tr')
      .first();
    await row.getByText('Connection failed').waitFor();
    await row.getByText('1 of 8').waitFor();
    await row.getByRole('link', { name: 'charge.succeeded' }).click();
    await page.getByText('See whether your server runs').waitFor();
    await paymount.webhookEndpoints.delete(acting, id);
  });

  it('count a replay before it is sent, and show its progress', async () => {
    await trigger();
    const page = await site.open('events');
    await page.getByRole('heading', { name: 'Events' }).waitFor();
    await page.getByRole('link', { name: 'Replays' }).click();
    await page.getByRole('button', { name: 'Send many again' }).click();
    await page.getByLabel('Only events').selectOption('All');
    await page.getByRole('button', { name: 'Count them first' }).click();
    await page.waitForResponse(/replays\/rpl_/);
    await site.setup.worker.drain();
    await page.getByRole('button', { name: /^Send \d+ deliver(y|ies)$/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Replay', exact: true }).waitFor();
    await site.setup.worker.drain();
    await page.getByText(/Made: [1-9]\d* deliver/).waitFor();
    await page.getByText('Completed').waitFor();
  });

  it('keep filters and the place over reload and back', async () => {
    const page = await site.open('keys');
    await page.getByLabel('Type').selectOption('Publishable');
    await page.waitForURL(/\?type=publishable$/);
    await page.getByRole('link', { name: 'test publishable' }).click();
    await page.getByRole('heading', { name: 'test publishable' }).waitFor();
    await page.goBack();
    await page.reload();
    expect(await page.getByLabel('Type').inputValue()).to.equal('publishable');
    expect(await page.getByRole('link', { name: 'test secret' }).count()).to.equal(0);
  });

  it('show the text filter of the address, also after the back button', async () => {
    const page = await site.open('events?object_id=ch_1');
    const field = page.getByLabel('About');
    await page.getByRole('navigation').getByRole('link', { name: 'Events' }).click();
    await page.waitForURL(/events$/);
    await field.and(page.locator('[value=""]')).waitFor();
    await field.fill('ch_2');
    await page.waitForURL(/events\?object_id=ch_2$/);
    await page.goBack();
    await field.and(page.locator('[value=ch_1]')).waitFor();
  });

  it('say that the server does not answer, and recover', async () => {
    const page = await site.open('events');
    await page.getByRole('heading', { name: 'Events' }).waitFor();
    await page.context().setOffline(true);
    await page.getByLabel('Type').selectOption('charge.failed');
    await page.getByText('What you see may be old').waitFor();
    await page.context().setOffline(false);
    await page.getByText('What you see may be old').waitFor({ state: 'detached' });
    expect(site.complaints.splice(0).join()).to.include('ERR_INTERNET_DISCONNECTED');
  });

  it('move the focus to the heading of each page, and skip to it by keyboard', async () => {
    const page = await site.open('');
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).to.equal('Webhooks');
    await page.reload();
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
    await page.getByRole('link', { name: 'Skip to the content' }).focus();
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).to.equal('main');
  });

  itInEachLook('have no serious fault for axe and fit the screen', (look) =>
    checkLook(site, look, PAGES),
  );
});
