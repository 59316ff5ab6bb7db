import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { ask } from '../support/ask.ts';
import { useBrowserSetup } from './browser-setup.ts';

/** The catalogue of the specification, and the resource that each type shows. */
const CATALOGUE = {
  'charge.succeeded': 'charge',
  'charge.failed': 'charge',
  'charge.captured': 'charge',
  'charge.refunded': 'charge',
  'charge.pending': 'charge',
  'subscription.created': 'subscription',
  'subscription.renewed': 'subscription',
  'subscription.payment_failed': 'subscription',
  'subscription.recovered': 'subscription',
  'subscription.canceled': 'subscription',
  'dispute.created': 'dispute',
  'dispute.alert': 'dispute',
  'dispute.won': 'dispute',
  'dispute.lost': 'dispute',
  'payout.paid': 'payout',
  'payout.failed': 'payout',
} as const;

/** Each of the types opens two pages. */
const LIMIT_MS = 300_000;

describe('Test events in Chromium', function () {
  const site = useBrowserSetup(this);

  const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Make a test event' });
  const valuesOf = (page: Page) => dialogOf(page).getByLabel('Other values of the object');
  const confirm = (page: Page) => dialogOf(page).getByRole('button', { name: 'Make the event' });

  async function openDialog(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Make a test event' }).click();
    await dialogOf(page).waitFor();
  }

  /** The stored event that the page shows, as a key of the account reads it. */
  async function shownEvent(page: Page, type: string) {
    await page.getByRole('heading', { level: 1, name: type, exact: true }).waitFor();
    const id = /\/events\/(evt_\w+)$/.exec(page.url())?.[1] ?? '';
    await page.getByRole('region', { name: 'JSON of the event' }).getByText(id).waitFor();
    const { url, secretKey } = site.setup;
    const { status, json } = await ask(`${url}/v1/events/${id}`, { key: secretKey });
    const { object } = json['data'] as { object: Record<string, unknown> };
    return { status, type: json['type'], livemode: json['livemode'], object };
  }

  it('are made of every type of the specification', async function () {
    this.timeout(LIMIT_MS);
    const page = await site.open('events');
    await openDialog(page);
    const offered = dialogOf(page).getByLabel('Type').getByRole('option');
    expect(await offered.allTextContents()).to.deep.equal(Object.keys(CATALOGUE));
    for (const [type, object] of Object.entries(CATALOGUE)) {
      await dialogOf(page).getByLabel('Type').selectOption(type);
      await confirm(page).click();
      const stored = await shownEvent(page, type);
      expect([stored.status, stored.type, stored.livemode, stored.object['object']]).to.deep.equal([
        200,
        type,
        false,
        object,
      ]);
      await page.goBack();
      await openDialog(page);
    }
  });

  it('have the values that were entered for the object', async () => {
    const page = await site.open('events');
    await openDialog(page);
    await valuesOf(page).fill('{ "amount": 5000, "metadata": { "order": "6735" } }');
    await confirm(page).click();
    const { object } = await shownEvent(page, 'charge.succeeded');
    expect([object['amount'], object['amount_captured']]).to.deep.equal([5000, 5000]);
    expect(object['metadata']).to.deep.equal({ triggered: 'true', order: '6735' });
  });

  it('are not made of values that are no JSON or that the object cannot have', async () => {
    const page = await site.open('events');
    await openDialog(page);
    await valuesOf(page).fill('{ "amount": 5000');
    await dialogOf(page).getByText('This is not a JSON object.').waitFor();
    await dialogOf(page).getByText('Mend the JSON, or remove it.').waitFor();
    expect(await confirm(page).isDisabled()).to.equal(true);
    const alert = dialogOf(page).getByRole('alert');
    for (const [values, message] of [
      ['{ "amount": "much" }', 'overrides[amount] must be an integer'],
      ['{ "colour": "red" }', 'There is no parameter overrides[colour] here.'],
      ['{ "id": "ch_1" }', 'overrides[id] cannot be changed.'],
    ] as const) {
      await valuesOf(page).fill(values);
      await confirm(page).click();
      await alert.getByText(message).waitFor();
    }
    // The reader goes on from what they entered.
    await valuesOf(page).fill('{ "amount": 700 }');
    await confirm(page).click();
    expect((await shownEvent(page, 'charge.succeeded')).object['amount']).to.equal(700);
    expect(site.complaints.splice(0).join()).to.include('400');
  });
});
