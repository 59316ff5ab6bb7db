import { expect } from 'chai';
import type { BrowserContext, BrowserContextOptions } from 'playwright-core';
import { seriousFaults } from '../support/axe.ts';
import { CHROMIUM_LIMIT_MS, needsChromium, newContext } from '../support/chromium.ts';
import { eventually } from '../support/eventually.ts';
import { type BrowserSetup, startBrowserSetup } from './browser-setup.ts';

const PHONE = { viewport: { width: 320, height: 640 }, isMobile: true, hasTouch: true };

describe('The pages of OAuth in Chromium', function () {
  this.timeout(CHROMIUM_LIMIT_MS);
  let site: BrowserSetup;
  let context: BrowserContext;

  before(async function () {
    needsChromium(this);
    site = await startBrowserSetup();
  });
  after(() => site?.close());
  beforeEach(() => open({}));
  afterEach(() => context.close());

  async function open(options: BrowserContextOptions): Promise<void> {
    await context?.close();
    context = await newContext(options);
  }

  const atConsent = (parameters?: Record<string, string>) => site.atConsent(context, parameters);

  it('lead back with an error if the merchant cancels', async () => {
    const page = await atConsent();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect((await site.atPlatform(page)).get('error')).to.equal('access_denied');
  });

  it('can be used with the keyboard alone, without JavaScript', async () => {
    await open({ javaScriptEnabled: false });
    const page = await atConsent();
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    // The second permission is removed.
    await press('Tab', 'Tab', 'Space', 'Tab', 'Tab', 'Enter');
    const sent = await site.atPlatform(page);
    expect((await site.exchange(sent.get('code'))).json['scope']).to.equal(
      'charges:read payouts:read',
    );
  });

  it('say what is missing, and keep the request', async () => {
    const page = await atConsent({ scope: 'charges:read' });
    await page.getByLabel('See charges and refunds').uncheck();
    await page.getByRole('button', { name: 'Allow' }).click();
    expect(await page.getByRole('alert').textContent()).to.equal('Choose at least one permission.');
    expect(await page.getByLabel('See charges and refunds').isChecked()).to.equal(false);
    await page.getByLabel('See charges and refunds').check();
    await page.getByRole('button', { name: 'Allow' }).click();
    expect((await site.atPlatform(page)).get('code')).to.match(/^oac_/);
  });

  it('keep the choice over a login on another origin that the answer needs', async () => {
    const page = await atConsent();
    await page.getByLabel('Charge cards, and refund charges').uncheck();
    site.setup.login.logOut();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('link', { name: 'Continue to the login' }).click();
    expect(await page.title()).to.equal('Log in');
    await page.click('button');
    expect(await page.getByLabel('Charge cards, and refund charges').isChecked()).to.equal(false);
    await page.getByRole('button', { name: 'Allow' }).click();
    const { json } = await site.exchange((await site.atPlatform(page)).get('code'));
    expect(json['scope']).to.equal('charges:read payouts:read');
  });

  it('are separate in two tabs', async () => {
    const [one, two] = [await atConsent({ state: 'one' }), await atConsent({ state: 'two' })];
    await one.getByRole('button', { name: 'Allow' }).click();
    await two.getByRole('button', { name: 'Cancel' }).click();
    expect((await site.atPlatform(one)).get('state')).to.equal('one');
    expect((await site.atPlatform(two)).get('error')).to.equal('access_denied');
  });

  it('cannot be answered again with the back button', async () => {
    const page = await atConsent();
    await page.getByRole('button', { name: 'Allow' }).click();
    await site.atPlatform(page);
    await page.goBack();
    expect(await page.textContent('main')).to.include('This request has already been answered.');
  });

  it('say that they have expired', async () => {
    const page = await atConsent();
    site.setup.clock.advance(600_000);
    await page.getByRole('button', { name: 'Allow' }).click();
    expect(await page.textContent('main')).to.include('This page has expired.');
  });

  it('are shown in no frame (O11; RFC 9700, 4.16)', async () => {
    const consent = await atConsent();
    const page = await context.newPage();
    for (const url of [consent.url(), site.authorizeUrl()]) {
      await page.goto(`${site.platformUrl}/frame?${new URLSearchParams({ url })}`);
      const framed = () => page.frames()[1]?.url() ?? '';
      expect(await eventually(framed, (shown) => shown !== '')).to.equal(
        'chrome-error://chromewebdata/',
      );
    }
  });

  it('follow a callback to another origin only if the platform registered it', async () => {
    const settings = { redirect_uris: [`${site.platformUrl}/forward`] };
    const closed = await site.setup.newPlatform(settings);
    const page = await atConsent({ client_id: closed.id });
    const blocked = page.waitForEvent('console', (message) => message.type() === 'error');
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect((await blocked).text()).to.match(/form-action/);
    expect(page.url()).to.match(/\/oauth\/interactions\//);
    const open = await site.setup.newPlatform({
      ...settings,
      callback_origins: [site.forwardedTo],
    });
    const other = await atConsent({ client_id: open.id });
    await other.getByRole('button', { name: 'Cancel' }).click();
    await other.waitForURL(`${site.forwardedTo}/elsewhere`);
  });

  it('fit on a phone, and have large buttons there', async () => {
    await open(PHONE);
    const page = await atConsent();
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    expect(width).to.equal(320);
    const box = await page.getByRole('button', { name: 'Allow' }).boundingBox();
    expect(box?.height).to.be.at.least(44);
  });

  for (const [device, options] of [
    ['a desktop', {}],
    ['a phone', PHONE],
    ['a German desktop', { locale: 'de-DE' }],
  ] as const) {
    it(`have nothing that axe finds serious, on ${device}`, async () => {
      await open(options);
      const page = await context.newPage();
      await page.goto(site.authorizeUrl());
      await page.click('button');
      expect(await page.getAttribute('html', 'lang')).to.equal('locale' in options ? 'de' : 'en');
      expect(await seriousFaults(page)).to.deep.equal([]);
      await page.getByRole('button').first().click();
      await page.goto(`${site.hostUrl}/oauth/applications`);
      expect(await seriousFaults(page)).to.deep.equal([]);
      await page.goto(site.authorizeUrl({ redirect_uri: 'https://evil.example/' }));
      expect(await seriousFaults(page)).to.deep.equal([]);
    });
  }

  it('keep codes and requests out of referrers (O11; RFC 9700, 4.2)', async () => {
    const page = await atConsent();
    const sent: Promise<Record<string, string>>[] = [];
    page.on('request', (request) => sent.push(request.allHeaders()));
    await page.getByRole('button', { name: 'Allow' }).click();
    await site.atPlatform(page);
    const referrers = (await Promise.all(sent)).map(({ referer }) => referer);
    expect(referrers).to.have.length.at.least(2);
    expect(new Set(referrers)).to.deep.equal(new Set([undefined]));
  });
});
