import { expect } from 'chai';
import { ask } from '../support/ask.ts';
import { eventually } from '../support/eventually.ts';
import { useBrowserSetup } from './browser-setup.ts';
import { type DashboardSetup, MOUNT } from './dashboard-setup.ts';

const HOSTILE = '<img src=x onerror="document.title=`run`">';

describe('The dashboard in Chromium', function () {
  const site = useBrowserSetup(this);
  let setup: DashboardSetup;

  before(() => {
    ({ setup } = site);
  });

  const place = (environment: 'live' | 'test', page: string): string =>
    `${setup.account}/${environment}/${page}`;

  async function newKey(name: string): Promise<string> {
    const made = { account: setup.account, livemode: false, type: 'secret', name } as const;
    return (await setup.paymount.keys.create(made)).id;
  }

  it('creates a key whose value is shown once, and which works', async () => {
    const page = await site.open('keys', { role: 'owner' });
    await page.getByRole('button', { name: 'Create a key' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Bookkeeping');
    await dialog.getByRole('radio', { name: 'Secret' }).check();
    await dialog.getByRole('button', { name: 'Create the key' }).click();
    const shown = page.getByRole('dialog', { name: 'Your new key' });
    const secret = (await shown.locator('pre').textContent()) ?? '';
    expect(secret).to.match(/^sk_test_[0-9A-Za-z]{40,46}$/);
    expect((await ask(`${setup.url}/v1/charges`, { key: secret })).status).to.equal(200);
    await page.keyboard.press('Escape');
    await shown.getByRole('button', { name: 'I have stored it' }).click();
    await shown.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Bookkeeping' }).waitFor();
    expect(await page.content()).not.to.include(secret);
    await page.reload();
    await page.getByRole('link', { name: 'Bookkeeping' }).waitFor();
  });

  it('says which environment it shows, and switches it in the address', async () => {
    const page = await site.open('keys', { role: 'owner' });
    await page.getByRole('banner').getByText('Test', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Live', exact: true }).click();
    await page.waitForURL(`**/${setup.account}/live**`);
    expect(await page.getByRole('banner').getByText('Test', { exact: true }).count()).to.equal(0);
    await page.goBack();
    await page.waitForURL(`**/${place('test', 'keys')}`);
  });

  it('shows names as they are, and runs nothing in them', async () => {
    const id = await newKey(HOSTILE);
    const page = await site.open('keys', { role: 'viewer' });
    await page.getByText(HOSTILE).first().waitFor();
    await page.goto(`${setup.url}${MOUNT}/${place('test', `keys/${id}`)}`);
    await page.getByRole('heading', { name: HOSTILE }).waitFor();
    expect(await page.title()).not.to.equal('run');
  });

  it('offers a viewer no button that the role does not permit', async () => {
    const page = await site.open('keys', { role: 'viewer' });
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    expect(await page.getByRole('button', { name: 'Create a key' }).count()).to.equal(0);
  });

  it('leads to the login and back to the same page when the session is lost', async () => {
    const path = place('test', 'keys');
    const page = await site.open('keys');
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    setup.login.logOut();
    await page.reload();
    await page.waitForURL('**/login?**');
    const { searchParams } = new URL(page.url());
    expect(searchParams.get('returnTo')).to.equal(`${MOUNT}/${path}`);
  });

  it('is shown in no frame', async () => {
    const page = await site.open('keys', { role: 'owner' });
    const url = page.url();
    await page.goto(`${setup.url}/v1/openapi.json`);
    await page.evaluate(`document.body.innerHTML = '<iframe src="${url}"></iframe>'`);
    const refusals = await eventually(
      () => site.complaints.filter((text) => text.includes("frame-ancestors 'none'")),
      (found) => found.length > 0,
    );
    expect(refusals).to.have.length.at.least(1);
    site.complaints.length = 0;
  });
});
