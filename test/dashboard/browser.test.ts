import { expect } from 'chai';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { ask } from '../support/ask.ts';
import { seriousFaults } from '../support/axe.ts';
import { startChromium } from '../support/chromium.ts';
import { type DashboardStage, MOUNT, startDashboardStage } from './dashboard-stage.ts';

const PHONE = { viewport: { width: 320, height: 640 }, isMobile: true, hasTouch: true };
const LIMIT_MS = 60_000;
const HOSTILE = '<img src=x onerror="document.title=`run`">';

describe('The dashboard in Chromium', function () {
  this.timeout(LIMIT_MS);
  let browser: Browser;
  let stage: DashboardStage;
  let context: BrowserContext;
  let complaints: string[];

  before(async function () {
    browser = await startChromium(this);
    stage = await startDashboardStage();
  });
  after(async () => {
    await stage?.close();
    await browser?.close();
  });
  afterEach(() => context.close());

  /** A user of a role opens a page of the account. */
  async function openAs(
    role: 'owner' | 'developer' | 'viewer',
    path: string,
    options: BrowserContextOptions = {},
  ): Promise<Page> {
    context = await browser.newContext(options);
    const [name = '', value = ''] = stage.logIn(role).split('=');
    await context.addCookies([{ name, value, url: stage.url }]);
    const page = await context.newPage();
    complaints = [];
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(stage.url) && !url.startsWith('data:')) complaints.push(url);
    });
    await page.goto(`${stage.url}${MOUNT}/${path}`);
    return page;
  }

  const place = (environment: 'live' | 'test', page: string): string =>
    `${stage.account}/${environment}/${page}`;

  async function newKey(name: string): Promise<string> {
    const made = { account: stage.account, livemode: false, type: 'secret', name } as const;
    return (await stage.paymount.keys.create(made)).id;
  }

  it('creates a key whose value is shown once, and which works', async () => {
    const page = await openAs('owner', place('test', 'keys'));
    await page.getByRole('button', { name: 'Create a key' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Bookkeeping');
    await dialog.getByRole('radio', { name: 'Secret' }).check();
    await dialog.getByRole('button', { name: 'Create the key' }).click();
    const shown = page.getByRole('dialog', { name: 'Your new key' });
    const secret = (await shown.locator('pre').textContent()) ?? '';
    expect(secret).to.match(/^sk_test_[0-9A-Za-z]{40,46}$/);
    expect((await ask(`${stage.url}/v1/charges`, { key: secret })).status).to.equal(200);
    await page.keyboard.press('Escape');
    await shown.getByRole('button', { name: 'I have stored it' }).click();
    await shown.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Bookkeeping' }).waitFor();
    expect(await page.content()).not.to.include(secret);
    await page.reload();
    await page.getByRole('link', { name: 'Bookkeeping' }).waitFor();
    expect(complaints).to.deep.equal([]);
  });

  it('says which environment it shows, and switches it in the address', async () => {
    const page = await openAs('owner', place('test', 'keys'));
    await page.getByRole('banner').getByText('Test', { exact: true }).waitFor();
    await page.getByText('Live', { exact: true }).click();
    await page.waitForURL(`**/${stage.account}/live**`);
    expect(await page.getByRole('banner').getByText('Test', { exact: true }).count()).to.equal(0);
    await page.goBack();
    await page.waitForURL(`**/${place('test', 'keys')}`);
    expect(complaints).to.deep.equal([]);
  });

  it('shows names as they are, and runs nothing in them', async () => {
    const id = await newKey(HOSTILE);
    const page = await openAs('viewer', place('test', 'keys'));
    await page.getByText(HOSTILE).first().waitFor();
    await page.goto(`${stage.url}${MOUNT}/${place('test', `keys/${id}`)}`);
    await page.getByRole('heading', { name: HOSTILE }).waitFor();
    expect(await page.title()).not.to.equal('run');
    expect(complaints).to.deep.equal([]);
  });

  it('offers a viewer no button that the role does not permit', async () => {
    const page = await openAs('viewer', place('test', 'keys'));
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    expect(await page.getByRole('button', { name: 'Create a key' }).count()).to.equal(0);
  });

  it('leads to the login and back to the same page when the session is lost', async () => {
    const path = place('test', 'keys');
    const page = await openAs('owner', path);
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    stage.login.logOut();
    await page.reload();
    await page.waitForURL('**/login?**');
    const { searchParams } = new URL(page.url());
    expect(searchParams.get('returnTo')).to.equal(`${MOUNT}/${path}`);
  });

  it('is shown in no frame', async () => {
    const page = await openAs('owner', place('test', 'keys'));
    const url = page.url();
    await page.goto(`${stage.url}/v1/openapi.json`);
    await page.evaluate(`document.body.innerHTML = '<iframe src="${url}"></iframe>'`);
    await page.waitForFunction('window.frames.length === 1');
    const framed = page.frames()[1];
    await framed?.waitForLoadState();
    expect(await framed?.getByRole('heading', { name: 'API keys' }).count()).to.equal(0);
  });

  for (const [device, options] of [
    ['a desktop', {}],
    ['a dark desktop', { colorScheme: 'dark' }],
    ['a phone', PHONE],
  ] as const) {
    it(`has nothing that axe finds serious, on ${device}`, async () => {
      const id = await newKey('Server');
      const page = await openAs('owner', place('test', ''), options);
      for (const path of ['', 'keys', `keys/${id}`, 'nothing/here']) {
        await page.goto(`${stage.url}${MOUNT}/${place('test', path)}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        expect(await seriousFaults(page), path).to.deep.equal([]);
        const width = await page.evaluate<number>('document.documentElement.scrollWidth');
        expect(width, path).to.be.at.most(await page.evaluate<number>('window.innerWidth'));
      }
    });
  }
});
