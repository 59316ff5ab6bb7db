import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { partsOf } from '../../packages/paymount/src/paymount.ts';
import { ask } from '../support/ask.ts';
import { connectPlatform } from '../support/connect-platform.ts';
import { useBrowserSetup } from './browser-setup.ts';

/** Markup that would change the title of a page that took it for HTML; it names its field. */
const hostile = (field: string): string => `<img src=x onerror=document.title=1>${field}`;
/** An address keeps it in its query, in the form that `URL` gives it. */
const inQuery = (field: string): string => new URL(`http://x/?${hostile(field)}`).search;
/** An address that would run if a page made a link of it. */
const SCRIPT_URL = 'javascript:document.title=1';

/** Paths of pages, each with the fields that it shows. */
type ShownFields = Readonly<Record<string, readonly string[]>>;

describe('Hostile text in what the dashboard shows', function () {
  // A page for an id that does not exist asks the server for it.
  const site = useBrowserSetup(this, { provoked: /status of 4/ });
  let shown: ShownFields;

  before(async () => {
    const deliveries = await makeDelivery();
    shown = {
      ...(await makeKey()),
      ...deliveries,
      ...(await makePayment()),
      ...(await makeRest()),
    };
  });

  /** The id of the newest object of a list. */
  async function firstId(path: string): Promise<string> {
    const { call, logIn } = site.setup;
    const [first] = (await call(logIn('owner'), path)).json['data'] as { id: string }[];
    return String(first?.id);
  }

  async function makeKey(): Promise<ShownFields> {
    const { account, paymount, url } = site.setup;
    const made = { account, livemode: false, type: 'secret', name: hostile('key name') } as const;
    const { id, secret } = await paymount.keys.create(made);
    const headers = { 'user-agent': hostile('program') };
    expect((await ask(`${url}/v1/charges`, { key: secret, headers })).status).to.equal(200);
    await partsOf(paymount).usage.flush();
    await paymount.leaks.report([
      { credential: secret, source: hostile('source'), url: `https://x.example/${inQuery('url')}` },
    ]);
    return {
      keys: [hostile('key name')],
      [`keys/${id}`]: ['key name', 'program'].map(hostile),
      leaks: [hostile('source')],
      [`leaks/${await firstId('/leaks')}`]: [hostile('source'), inQuery('url')],
    };
  }

  async function makeDelivery(): Promise<ShownFields> {
    const { acting, call, logIn, paymount, worker } = site.setup;
    site.receiver.otherwise({
      status: 500,
      headers: { 'x-reason': hostile('header') },
      body: hostile('body'),
    });
    const { id } = await paymount.webhookEndpoints.create(acting, {
      url: `${site.receiver.url}/${inQuery('address')}`,
      enabled_events: ['charge.succeeded'],
      description: hostile('description'),
      metadata: { [hostile('name')]: hostile('value') },
    });
    const body = { type: 'charge.succeeded', overrides: { description: hostile('override') } };
    const made = await call(logIn('owner'), '/test_helpers/events', { body });
    expect(made.status, made.text).to.equal(200);
    await worker.drain();
    return {
      '': [inQuery('address')],
      endpoints: [inQuery('address')],
      [`endpoints/${id}`]: [inQuery('address'), ...['description', 'name', 'value'].map(hostile)],
      [`deliveries/${await firstId('/deliveries')}`]: ['header', 'body'].map(hostile),
      [`events/${made.json['id']}`]: [hostile('override')],
    };
  }

  async function makePayment(): Promise<ShownFields> {
    const { acting, paymount } = site.setup;
    const metadata = { [hostile('name')]: hostile('value') };
    const charge = await paymount.charges.create(acting, {
      amount: 500,
      currency: 'eur',
      payment_method: 'pm_card_visa',
      metadata,
      description: hostile('description'),
    });
    const refund = await paymount.refunds.create(acting, { charge: charge.id, metadata });
    return {
      charges: [hostile('description')],
      [`charges/${charge.id}`]: ['description', 'name', 'value'].map(hostile),
      [`refunds/${refund.id}`]: ['name', 'value'].map(hostile),
    };
  }

  async function makeRest(): Promise<ShownFields> {
    const { account, logIn, call, paymount } = site.setup;
    await connectPlatform(paymount, account, 'test', hostile('application'));
    const cookie = logIn('owner');
    const headers = { 'user-agent': hostile('audited program') };
    const body = { name: hostile('account') };
    const renamed = await call(cookie, `/accounts/${account}`, { body, headers });
    expect(renamed.status, renamed.text).to.equal(200);
    return {
      applications: [hostile('application')],
      [`applications/${await firstId('/connected_applications')}`]: [hostile('application')],
      [`audit/${await firstId('/audit')}`]: ['account', 'audited program'].map(hostile),
      [`events?object_id=${encodeURIComponent(hostile('filter'))}`]: [],
      [`events/${encodeURIComponent(hostile('id'))}`]: [],
      [encodeURIComponent(hostile('page'))]: [],
    };
  }

  /** Without the policy of the mount a browser runs what a page takes for HTML. */
  async function open(path: string): Promise<Page> {
    return site.open(path, { bypassCSP: true });
  }

  async function expectNothingRan(page: Page, path: string): Promise<void> {
    expect(await page.title(), path).not.to.equal('1');
    expect(await page.locator('img[src=x]').count(), path).to.equal(0);
    expect(await page.locator('a[href^="javascript:" i]').count(), path).to.equal(0);
  }

  it('would run if a page took it for HTML', async () => {
    const page = await open('keys');
    await page.getByRole('link', { name: 'test secret' }).waitFor();
    await page.evaluate(`document.body.innerHTML = ${JSON.stringify(hostile('page'))}`);
    await page.waitForFunction("document.title === '1'");
    // The image that does not exist.
    site.complaints.length = 0;
  });

  it('is shown as it is on every page, and does not run', async () => {
    const page = await open('');
    const home = page.url();
    for (const [path, texts] of Object.entries(shown)) {
      await page.goto(`${home}${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      for (const text of texts) await page.getByText(text).first().waitFor();
      await expectNothingRan(page, path);
    }
  });

  it('is shown as it is in errors and dialogs, and does not run', async () => {
    const page = await open('endpoints');
    await page.getByRole('button', { name: 'Add an endpoint' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill(SCRIPT_URL);
    await dialog.getByRole('combobox', { name: 'Events' }).fill('charge.succeeded');
    await page.getByRole('option', { name: 'charge.succeeded' }).click();
    await dialog.getByRole('button', { name: 'Add the endpoint' }).click();
    await dialog.getByRole('alert').waitFor();
    await expectNothingRan(page, 'error');
    await page.goto(page.url().replace(/endpoints.*/, 'applications'));
    await page.getByRole('link', { name: hostile('application') }).click();
    await page.getByRole('button', { name: 'Disconnect' }).click();
    await page.getByRole('dialog', { name: `Disconnect ${hostile('application')}?` }).waitFor();
    await expectNothingRan(page, 'dialog');
  });
});
