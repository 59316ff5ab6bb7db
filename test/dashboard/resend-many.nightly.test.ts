import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { seriousFaults } from '../support/axe.ts';
import { useBrowserSetup } from './browser-setup.ts';

const RETRY = /\/deliveries\/dlv_[^/]+\/retry$/;
const SALE = { amount: 700, currency: 'eur', payment_method: 'pm_card_visa' };

describe('Sending many deliveries again in Chromium', function () {
  // Those who send more again are told to wait (429), and the page waits.
  const admin = { requests: 4, seconds: 1, burst: 6 };
  const host = { paymount: { rateLimit: { admin } } };
  const site = useBrowserSetup(this, { host, provoked: /429/ });
  /** Of an endpoint that answered 500 to six events. */
  let failing: string;

  before(async () => {
    failing = await makeEndpoint();
    for (let sale = 1; sale <= 6; sale += 1) {
      site.receiver.script({ status: 500 });
      await site.setup.paymount.charges.create(site.setup.acting, SALE);
      await site.setup.worker.drain();
    }
  });

  async function makeEndpoint(): Promise<string> {
    const { paymount, acting } = site.setup;
    const url = `${site.receiver.url}/hooks`;
    return (
      await paymount.webhookEndpoints.create(acting, { url, enabled_events: ['charge.succeeded'] })
    ).id;
  }

  const rowsOf = (page: Page) =>
    page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr');

  it('is not offered to a viewer', async () => {
    const page = await site.open(`endpoints/${failing}`, { role: 'viewer' });
    await rowsOf(page).first().waitFor();
    expect(await page.getByRole('checkbox').count()).to.equal(0);
    expect(await page.getByText('Resend').count()).to.equal(0);
  });

  it('leads from an endpoint to a replay of what failed there', async () => {
    const page = await site.open(`endpoints/${failing}`);
    await page.getByRole('link', { name: 'Resend failed since…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Send many events again' });
    expect(await dialog.getByLabel('Endpoint').inputValue()).to.equal(failing);
    expect(await dialog.getByLabel('Only events').inputValue()).to.equal('failed');
    expect(await dialog.getByLabel('Events from').inputValue()).not.to.equal('');
  });

  it('sends all of a page again, four at a time, each with a key of its own', async () => {
    const page = await site.open('deliveries');
    const keys: string[] = [];
    let open = 0;
    let most = 0;
    page.on('request', (request) => {
      if (!RETRY.test(request.url())) return;
      keys.push(request.headers()['idempotency-key'] ?? '');
      open += 1;
      most = Math.max(most, open);
    });
    page.on('response', (response) => {
      open -= RETRY.test(response.url()) ? 1 : 0;
    });
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByRole('button', { name: 'Resend selected (6)' }).click();
    await page.getByText('Sent again: 6 deliveries.').waitFor();
    expect([new Set(keys).size, most]).to.deep.equal([6, 4]);
    await site.setup.worker.drain();
    expect(site.receiver.requests).to.have.lengthOf(12);
    await page.reload();
    const first = rowsOf(page).first().getByRole('checkbox');
    expect(await first.isDisabled()).to.equal(true);
    expect(await first.getAttribute('aria-label')).to.match(
      /^charge\.succeeded dlv_\w+ cannot be resent: It has arrived\./,
    );
    expect(await seriousFaults(page)).to.deep.equal([]);
  });

  it('says which delivery was not sent again, and why', async () => {
    const { paymount, acting, worker } = site.setup;
    const other = await makeEndpoint();
    site.receiver.script({ status: 500 }, { status: 500 });
    await paymount.charges.create(acting, SALE);
    await worker.drain();
    const page = await site.open('deliveries');
    for (const each of [failing, other]) {
      const row = rowsOf(page).filter({ hasText: each }).first();
      await row.getByRole('checkbox').focus();
      await page.keyboard.press('Space');
    }
    await paymount.webhookEndpoints.update(acting, other, { disabled: true });
    await page.getByRole('button', { name: 'Resend selected (2)' }).focus();
    await page.keyboard.press('Enter');
    const alert = page.getByRole('alert').filter({ hasText: 'Not sent: 1 delivery' });
    // It is parked as soon as a worker sees that its endpoint is disabled.
    await alert.getByText(/Its endpoint is disabled\.|is parked\./).waitFor();
    await page.getByText('Sent again: 1 delivery.').waitFor();
    expect(site.complaints.splice(0).join()).to.include('409');
  });
});
