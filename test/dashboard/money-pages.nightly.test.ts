import { expect } from 'chai';
import { seriousFaults } from '../support/axe.ts';
import { ClockSetup } from '../support/clock-setup.ts';
import { useBrowserSetup } from './browser-setup.ts';

const SALE = { amount: 700, currency: 'eur', payment_method: 'pm_card_visa' };

describe('Refunds and balance transactions in Chromium', function () {
  const site = useBrowserSetup(this, { provoked: /ERR_FAILED/ });
  /** Two charges, each with a refund. */
  let charge: string;
  let other: string;

  before(async () => {
    const { paymount, acting } = site.setup;
    const refunded = async (amount: number) => {
      const { id } = await paymount.charges.create(acting, SALE);
      await paymount.refunds.create(acting, { charge: id, amount, reason: 'duplicate' });
      return id;
    };
    [charge, other] = [await refunded(250), await refunded(70)];
  });

  it('lists the refunds of a charge, and shows one', async () => {
    const page = await site.open('refunds');
    await page.getByRole('link', { name: '€0.70' }).waitFor();
    await page.getByLabel('Charge').fill(charge);
    await page.waitForURL(`**/refunds?charge=${charge}`);
    await page.getByRole('link', { name: '€0.70' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: '€2.50' }).click();
    await page.getByRole('heading', { name: 'Refund of €2.50' }).waitFor();
    await page.getByText('It was charged twice').waitFor();
    expect(await seriousFaults(page)).to.deep.equal([]);
  });

  it('lists what is on a test clock if that is asked for, in test', async () => {
    const clocks = new ClockSetup(site.setup);
    const clock = await clocks.clock('2035-01-01T00:00:00.000Z');
    await clocks.charge(await clocks.customer(clock), { amount: 1_234 });
    const page = await site.open('charges');
    await page.getByRole('table', { name: 'Charges' }).waitFor();
    expect(await page.getByText('€12.34').count()).to.equal(0);
    await page.getByLabel('Test clock').fill(clock);
    await page.waitForURL(`**/charges?test_clock=${clock}`);
    await page.getByText('€12.34').waitFor();
    expect(await seriousFaults(page)).to.deep.equal([]);
  });

  it('leads from the timeline of a charge to its refund, and to the change of the balance', async () => {
    const page = await site.open(`charges/${other}`);
    const timeline = page.getByRole('table', { name: 'Timeline' });
    await timeline.getByRole('link', { name: 'Refund of €0.70' }).click();
    await page.getByRole('link', { name: /^txn_/ }).click();
    await page.getByRole('heading', { name: 'Refund: -€0.70' }).waitFor();
    expect(await seriousFaults(page)).to.deep.equal([]);
  });

  it('refunds once when the answer is lost, also from a dialog that is opened anew', async () => {
    const { paymount, acting } = site.setup;
    const { id } = await paymount.charges.create(acting, SALE);
    const page = await site.open(`charges/${id}`);
    const refund = async () => {
      await page.getByRole('button', { name: 'Refund', exact: true }).click();
      await page.getByLabel('Amount (EUR)').fill('1.00');
      await page.getByRole('button', { name: 'Refund €1.00' }).click();
    };
    const amounts = async () =>
      (await paymount.refunds.list(acting, { charge: id })).data.map(({ amount }) => amount);
    const path = `**/charges/${id}/refunds`;
    await page.route(path, async (route) => {
      await route.fetch();
      await route.abort();
    });
    await refund();
    await page
      .getByRole('dialog')
      .getByText('It may have been done: look before you try again')
      .waitFor();
    expect(await amounts()).to.deep.equal([100]);
    await page.unroute(path);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await refund();
    await page.getByText('The refund of €1.00 was made.').waitFor();
    expect(await amounts()).to.deep.equal([100]);
    await refund();
    await page.getByText('The refund of €1.00 was made.').nth(1).waitFor();
    expect(await amounts(), 'a further refund of the same amount').to.deep.equal([100, 100]);
  });

  it('shows metadata apart from facts, whatever a key is called', async () => {
    const { paymount, acting } = site.setup;
    const metadata = { Amount: '€9.00', order: '1017' };
    const { id } = await paymount.refunds.create(acting, { charge: other, amount: 30, metadata });
    const page = await site.open(`refunds/${id}`);
    const facts = page.locator('dl').first();
    await facts.getByText('€0.30').waitFor();
    expect(await facts.getByText('€9.00').count()).to.equal(0);
    const section = page.getByRole('region', { name: 'Metadata' });
    await section.getByText('€9.00').waitFor();
    await section.getByText('1017').waitFor();
  });

  it('opens both by their ids', async () => {
    const { paymount, acting } = site.setup;
    const { balance_transaction: transaction } = await paymount.charges.retrieve(acting, charge);
    const [refund] = (await paymount.refunds.list(acting, { charge })).data;
    const page = await site.open('');
    const field = page.getByRole('searchbox', { name: 'Open an ID' }).first();
    await field.fill(String(transaction));
    await field.press('Enter');
    await page.getByRole('heading', { name: /^Charge: €\d/ }).waitFor();
    await page.getByRole('link', { name: charge }).waitFor();
    await field.fill(refund?.id ?? '');
    await field.press('Enter');
    await page.getByRole('heading', { name: 'Refund of €2.50' }).waitFor();
  });

  it('names each change of the balance in its list', async () => {
    const page = await site.open('balance');
    const table = page.getByRole('table', { name: 'Transactions of the balance' });
    await table.getByRole('link', { name: 'Refund', exact: true }).first().click();
    await page.getByRole('heading', { level: 1, name: /^Refund: / }).waitFor();
  });
});
