import { expect } from 'chai';
import { ask } from '../support/ask.ts';
import { newBrowser } from '../support/browser.ts';
import { query } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { type OAuthSetup, startOAuthSetup } from '../support/oauth-setup.ts';
import { hiddenFields, ownAccount } from './consent-setup.ts';

const PATH = '/oauth/applications';

describe('The page of connected applications', () => {
  let setup: OAuthSetup;

  before(async () => {
    setup = await startOAuthSetup();
  });
  after(() => setup.close());

  async function loggedIn(accounts = [ownAccount(setup)]) {
    const browser = newBrowser(setup.url);
    browser.keep(setup.login.logIn({ accounts }));
    return browser;
  }

  it('follows the login', async () => {
    const { status, headers } = await newBrowser(setup.url).open(PATH);
    expect([status, headers.location]).to.deep.equal([
      303,
      '/login?returnTo=%2Foauth%2Fapplications',
    ]);
  });

  it('shows what may act for the account, and ends it within 500 ms', async () => {
    const { access_token: token } = await setup.connect();
    const read = async () => {
      const headers = { authorization: `Bearer ${String(token)}` };
      return (await fetch(`${setup.url}/v1/charges`, { headers })).status;
    };
    expect(await read()).to.equal(200);
    const browser = await loggedIn();
    const page = await browser.open(PATH);
    for (const shown of [
      'Test mode: no real money moves.',
      'These applications may act for Test shop.',
      '<h2>Ledger app</h2>',
      '<li>Charge cards, and refund charges</li>',
      'End the access of Ledger app</button>',
    ]) {
      expect(page.text).to.include(shown);
    }
    const listed = await ask(`${setup.url}/v1/connected_applications`, { key: setup.secretKey });
    const [{ created }] = listed.json['data'] as [{ created: string }];
    // `2026-11-21T...` is `November 21, 2026` there.
    const [, year, day] = /^(\d+)-\d+-0?(\d+)T/.exec(created) ?? [];
    expect(page.text).to.match(new RegExp(`Allowed on [A-Z][a-z]+ ${day}, ${year}\\.`));
    expect(page.headers['content-security-policy']).to.match(/; form-action 'self'$/);
    const ended = await browser.submit(PATH, hiddenFields(page.text));
    expect([ended.status, ended.headers.location]).to.deep.equal([
      303,
      `${PATH}?account=${setup.account}`,
    ]);
    await eventually(read, (status) => status === 401, 500);
    const after = await browser.open(String(ended.headers.location));
    expect(after.text).to.include('No application may act for Test shop.');
    const [entry] = await query(
      setup.databaseUrl,
      `SELECT actor_type, actor_id, after->>'revoked_reason' AS reason FROM paymount.audit_log
        WHERE action = 'grant.revoke'`,
    );
    expect(entry).to.deep.equal({ actor_type: 'user', actor_id: 'user-1', reason: 'owner' });
    expect((await browser.submit(PATH, hiddenFields(page.text))).status).to.equal(303);
  });

  it('asks for a login with a link, because a form may not lead to another origin', async () => {
    await setup.connect();
    const browser = await loggedIn();
    const fields = hiddenFields((await browser.open(PATH)).text);
    browser.keep('session=none');
    const { status, text } = await browser.submit(PATH, fields);
    expect([status, text.includes(`<a href="${PATH}">Continue to the login</a>`)]).to.deep.equal([
      200,
      true,
    ]);
  });

  it('has pages, and one account at a time', async () => {
    const other = await setup.paymount.accounts.create({
      name: 'Second shop',
      country: 'DE',
      default_currency: 'eur',
    });
    for (let number = 1; number <= 21; number += 1) {
      const platform = await setup.newPlatform({ name: `App ${number}` });
      await setup.connect({ platform, account: other.id });
    }
    const second = { id: other.id, name: 'Second shop', role: 'owner' as const };
    const browser = await loggedIn([ownAccount(setup), second]);
    const first = await browser.open(PATH);
    expect(first.text).to.include(`<a href="?account=${other.id}">Second shop</a>`);
    const page = await browser.open(`${PATH}?account=${other.id}`);
    const names = (text: string) => [...text.matchAll(/<h2>(.*?)<\/h2>/g)].map(([, name]) => name);
    expect(names(page.text)).to.deep.equal(
      Array.from({ length: 20 }, (_, index) => `App ${21 - index}`),
    );
    const next = /<a href="(\?[^"]+)">More applications/.exec(page.text)?.[1] ?? '';
    const last = await browser.open(`${PATH}${next.replaceAll('&amp;', '&')}`);
    expect(names(last.text)).to.deep.equal(['App 1']);
    expect(last.text).not.to.include('More applications');
  });

  it('shows and ends nothing for an account of somebody else, or for a forged form (O15, O09)', async () => {
    await setup.connect();
    const browser = await loggedIn();
    const fields = hiddenFields((await browser.open(PATH)).text);
    const foreign = await setup.paymount.accounts.create({
      name: 'Foreign shop',
      country: 'DE',
      default_currency: 'eur',
    });
    expect((await browser.open(`${PATH}?account=${foreign.id}`)).status).to.equal(403);
    expect((await browser.submit(PATH, { ...fields, account: foreign.id })).status).to.equal(403);
    expect((await browser.submit(PATH, { ...fields, csrf_token: 'x' })).status).to.equal(403);
    const crossSite = { 'sec-fetch-site': 'cross-site' };
    expect((await browser.submit(PATH, fields, crossSite)).status).to.equal(403);
    const old = await browser.submit(PATH, { ...fields, csrf_token: 'x' });
    expect(old.text).to.include('The page was open for too long');
    expect(old.text).to.include(`<a href="${PATH}">Open the page again</a>`);
    const thief = await loggedIn();
    expect((await thief.submit(PATH, fields)).status).to.equal(403);
    const without = newBrowser(setup.url);
    without.keep(setup.login.logIn({ accounts: [] }));
    const none = await without.open(PATH);
    expect([
      none.status,
      none.text.includes('You may not decide this for any account.'),
    ]).to.deep.equal([403, true]);
    expect((await browser.open(PATH)).text).to.include('<h2>Ledger app</h2>');
    expect((await browser.open(`${PATH}?starting_after=ca_x`)).status).to.equal(400);
  });
});
