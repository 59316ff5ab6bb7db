import { expect } from 'chai';
import { seriousFaultsNow } from '../support/axe.ts';
import { connectPlatform } from '../support/connect-platform.ts';
import { makeBelongings } from '../support/owned-objects.ts';
import { useBrowserSetup } from './browser-setup.ts';
import { checkLook, itInEachLook, OVERFLOW, PHONE } from './looks.ts';

describe('Pages of one object in Chromium', function () {
  const site = useBrowserSetup(this);
  /** The path of one page for each kind of object, and a part of its heading. */
  let pages: Readonly<Record<string, string>>;

  before(async () => {
    pages = await makePages();
  });

  async function makePages(): Promise<Readonly<Record<string, string>>> {
    const { setup } = site;
    const { account, paymount, secretKey, url } = setup;
    const made = { account, livemode: false, type: 'secret', name: 'Spare' } as const;
    const { id: spareKey, secret } = await paymount.keys.create(made);
    for (const _ of ['kept', 'disconnected']) await connectPlatform(paymount, account);
    await paymount.leaks.report([{ credential: secret, source: 'scan' }]);
    const cookie = setup.logIn('owner');
    const idsOf = async (path: string): Promise<readonly string[]> => {
      const { json } = await setup.call(cookie, path);
      return (json['data'] as { id: string }[]).map(({ id }) => id);
    };
    const [application = '', disconnected = ''] = await idsOf('/connected_applications');
    const applications = [application, disconnected] as const;
    const own = await makeBelongings({ url, key: secretKey, spareKey, app: setup, applications });
    const [leak = ''] = await idsOf('/leaks');
    const [entry = ''] = await idsOf('/audit');
    return {
      [`keys/${own.spareKey}`]: 'Spare',
      [`endpoints/${own.endpoint}`]: 'https://127.0.0.1:8443/',
      [`deliveries/${own.delivery}`]: 'Delivery of charge.succeeded',
      [`events/${own.event}`]: 'charge.succeeded',
      [`replays/${own.replay}`]: 'Replay',
      [`charges/${own.charge}`]: 'Charge',
      [`refunds/${own.refund}`]: 'Refund of €0.01',
      [`balance/${own.line}`]: 'Charge: €',
      [`bank-accounts/${own.bankAccount}`]: '••',
      [`applications/${application}`]: 'An app',
      [`leaks/${leak}`]: 'Leak of a key',
      [`audit/${entry}`]: '.',
      'events?follow=1': 'Events',
    };
  }

  itInEachLook('have no serious fault for axe and fit the screen', (look) =>
    checkLook(site, look, pages),
  );

  it('are found by touch through the menu of a phone, and nothing is wider than it', async () => {
    const page = await site.open('', { ...PHONE, colorScheme: 'dark', bypassCSP: true });
    const open = async (list: string) => {
      await page.getByRole('button', { name: 'Open the menu' }).tap();
      await page.getByRole('navigation').getByRole('link', { name: list }).tap();
      await page.getByRole('heading', { level: 1, name: list }).waitFor();
      expect(await page.evaluate<number>(OVERFLOW), list).to.be.at.most(0);
    };
    await open('Deliveries');
    const row = page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr').first();
    await row.getByRole('checkbox').tap();
    await page.getByRole('button', { name: 'Resend selected (1)' }).waitFor();
    await open('API keys');
    await page.getByRole('button', { name: 'Create a key' }).first().tap();
    await page.getByRole('dialog', { name: 'Create a test key' }).waitFor();
    expect(await page.evaluate<number>(OVERFLOW), 'Create a test key').to.be.at.most(0);
    expect(await seriousFaultsNow(page), 'Create a test key').to.deep.equal([]);
  });
});
