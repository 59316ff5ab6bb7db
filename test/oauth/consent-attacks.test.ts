import { expect } from 'chai';
import type { HostUser } from 'paymount';
import { newBrowser } from '../support/browser.ts';
import { fakeClock } from '../support/clock.ts';
import { keptLog } from '../support/kept-log.ts';
import { LiveBank } from '../support/live-bank.ts';
import { type OAuthSetup, REDIRECT_URI, startOAuthSetup } from '../support/oauth-setup.ts';
import { countRows } from '../support/row-count.ts';
import { type AtConsent, atConsent, authorizePath, ownAccount, sentTo } from './consent-setup.ts';

const YES = { decision: 'approve', scope: ['charges:read'] };
const MINUTE_MS = 60_000;

describe('An approval that somebody forges (O09; RFC 9700, 4.7)', () => {
  let setup: OAuthSetup;
  let at: AtConsent;
  let grants: number | undefined;

  const countGrants = async () => (await countRows(setup.databaseUrl))['grants'];
  const refusal = async (sent: Promise<{ status: number; text: string }>) => {
    const { status, text } = await sent;
    return `${status} ${/<h1>.*<\/h1>\n<p>(.*?)<\/p>/.exec(text)?.[1]}`;
  };
  const FOREIGN = '403 The answer did not come from this page.';
  const OTHER_USER = '403 This page was opened by another user, or in another session.';
  const OTHER_BROWSER =
    '403 This page belongs to another browser or to a tab that was opened at the same time, or your browser does not accept cookies.';

  before(async () => {
    setup = await startOAuthSetup();
  });
  after(() => setup.close());
  beforeEach(async () => {
    at = await atConsent(setup);
    grants = await countGrants();
  });
  afterEach(async () => {
    expect(await countGrants()).to.equal(grants);
  });

  it('is refused from a page of another site, whatever it knows', async () => {
    const { browser, path, page } = at;
    const token = /name="csrf_token" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const fields = { ...YES, csrf_token: token, account: setup.account };
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { origin: 'https://evil.example' },
      { origin: 'https://pay.example.com.evil.example' },
    ]) {
      expect(await refusal(browser.submit(path, fields, headers))).to.equal(FOREIGN);
    }
  });

  it('is refused without the token of the form, or with that of another page', async () => {
    const other = await atConsent(setup);
    const foreign = /name="csrf_token" value="([^"]+)"/.exec(other.page.text)?.[1] ?? '';
    for (const token of ['', 'x', foreign, foreign.slice(1)]) {
      expect(await refusal(at.answer({ ...YES, csrf_token: token }))).to.equal(FOREIGN);
    }
  });

  it('is refused in a browser that does not have the cookie, or has another one', async () => {
    const thief = newBrowser(setup.url);
    thief.keep(setup.login.logIn({ accounts: [ownAccount(setup)] }));
    expect(await refusal(thief.open(at.path))).to.equal(OTHER_BROWSER);
    expect(await refusal(thief.submit(at.path, YES))).to.equal(OTHER_BROWSER);
    const [name = ''] = [...at.browser.cookies.keys()].filter((key) => key !== 'session');
    thief.keep(`${name}=${'A'.repeat(43)}`);
    expect(await refusal(thief.open(at.path))).to.equal(OTHER_BROWSER);
    expect(await refusal(thief.open('/oauth/interactions/int_x'))).to.equal(OTHER_BROWSER);
  });

  it('is refused to another user, and in another session, of the same browser', async () => {
    const accounts = [ownAccount(setup)];
    for (const hostUser of [{ userId: 'user-2' }, { userId: 'user-1' }]) {
      at.browser.keep(setup.login.logIn({ accounts, ...hostUser }));
      expect(await refusal(at.answer(YES))).to.equal(OTHER_USER);
      expect(await refusal(at.browser.open(at.path))).to.equal(OTHER_USER);
    }
  });

  it('is refused before the page was shown', async () => {
    const browser = newBrowser(setup.url);
    browser.keep(setup.login.logIn({ accounts: [ownAccount(setup)] }));
    const path = String((await browser.open(authorizePath(setup))).headers.location);
    const fields = { ...YES, account: setup.account };
    expect(await refusal(browser.submit(path, fields))).to.equal(FOREIGN);
  });

  it('is refused after ten minutes', async () => {
    setup.clock.advance(10 * MINUTE_MS);
    const expired = '410 This page has expired.';
    expect(await refusal(at.answer(YES))).to.equal(expired);
    expect(await refusal(at.browser.open(at.path))).to.equal(expired);
  });

  it('is refused once the platform is disabled', async () => {
    const platform = await setup.newPlatform();
    const here = await atConsent(setup, { client_id: platform.id });
    await setup.paymount.platforms.disable(platform.id);
    const unknown = '400 The application that sent you here is unknown or disabled.';
    expect(await refusal(here.answer(YES))).to.equal(unknown);
  });

  it('is refused once the platform withdrew the redirect URI (O02; RFC 9700, 2.1)', async () => {
    const kept = 'https://ledger.example.com/other';
    const platform = await setup.newPlatform({ redirect_uris: [REDIRECT_URI, kept] });
    const here = await atConsent(setup, { client_id: platform.id });
    await setup.paymount.platforms.update(platform.id, { redirect_uris: [kept] });
    const unknown = /^400 The application that sent you here named an address/;
    expect(await refusal(here.answer(YES))).to.match(unknown);
    expect(await refusal(here.answer({ decision: 'deny' }))).to.match(unknown);
    expect(await refusal(here.browser.open(here.path))).to.match(unknown);
  });

  it('is possible from the page before a visit to the login that was broken off', async () => {
    const here = await atConsent(setup);
    const session = here.browser.cookies.get('session') ?? '';
    here.browser.keep('session=none');
    expect((await here.browser.open(here.path)).headers.location).to.match(/^\/login/);
    here.browser.keep(`session=${session}`);
    expect(sentTo(await here.answer({ decision: 'deny' }), REDIRECT_URI).get('error')).to.equal(
      'access_denied',
    );
  });

  it('is refused for a scope that the platform lost meanwhile', async () => {
    const platform = await setup.newPlatform();
    const here = await atConsent(setup, { client_id: platform.id });
    await setup.paymount.platforms.update(platform.id, { scopes: ['payouts:read'] });
    const { status } = await here.answer({ ...YES, scope: ['charges:write'] });
    expect(status).to.equal(400);
    await setup.paymount.platforms.update(platform.id, { scopes: ['webhooks:write'] });
    const expired = '410 This page has expired.';
    expect(await refusal(here.answer(YES))).to.equal(expired);
    expect(await refusal(here.browser.open(here.path))).to.equal(expired);
  });

  it('is refused for an account that is not there, and stays open', async () => {
    const accounts = [
      { id: 'acct_00000000000000000000000000', name: 'Gone', role: 'owner' as const },
    ];
    const here = await atConsent(setup, {}, { accounts });
    expect(await refusal(here.answer(YES))).to.equal(
      '403 You may not decide this for that account.',
    );
    expect(sentTo(await here.answer({ decision: 'deny' }), REDIRECT_URI).get('error')).to.equal(
      'access_denied',
    );
  });
});

describe('The answer to a platform', () => {
  const logger = keptLog();
  let setup: OAuthSetup;

  before(async () => {
    setup = await startOAuthSetup({ paymount: { logger } });
  });
  after(() => setup.close());

  it('is given once, even if it is sent twice at the same time', async () => {
    const { answer, browser, path } = await atConsent(setup);
    const both = await Promise.all(Array.from({ length: 10 }, () => answer(YES)));
    const statuses = both.map(({ status }) => status).toSorted();
    expect(statuses).to.deep.equal([303, ...Array.from({ length: 9 }, () => 410)]);
    const again = await browser.open(path);
    expect([again.status, again.text.includes('has already been answered')]).to.deep.equal([
      410,
      true,
    ]);
  });

  it('is not asked for again after three visits to a login that fails', async () => {
    const browser = newBrowser(setup.url);
    const path = String((await browser.open(authorizePath(setup))).headers.location);
    for (let visit = 0; visit < 3; visit += 1) {
      expect((await browser.open(path)).headers.location).to.match(/^\/login/);
    }
    const last = await browser.open(path);
    expect([last.status, last.headers.location]).to.deep.equal([403, undefined]);
    expect(last.text).to.include('The login was not completed.');
    const warned = logger.lines.filter(({ text }) => text.includes('"reason":"loginFailed"'));
    expect(warned.map(({ level }) => level)).to.deep.equal(['warn']);
  });
});

describe('An approval of scopes to write in live', () => {
  let setup: OAuthSetup;

  before(async () => {
    const live = new LiveBank(fakeClock());
    setup = await startOAuthSetup({ environment: 'live', paymount: { processors: { live } } });
  });
  after(() => setup.close());

  it('takes a login of the last 15 minutes, and the same user after it', async () => {
    const accounts: HostUser['accounts'] = [ownAccount(setup)];
    const now = setup.clock.now();
    const old = { accounts, authTime: new Date(now.getTime() - 15 * MINUTE_MS - 1) };
    const reading = await atConsent(setup, { scope: 'charges:read' }, old);
    expect(reading.page.status).to.equal(200);
    expect(reading.page.text).not.to.include('Test mode');
    const writing = await atConsent(setup, { scope: 'charges:write' }, old);
    expect(writing.page.headers.location).to.match(/^\/login/);
    expect(setup.login.visits.at(-1)?.hint).to.deep.equal({
      reason: 'reauthenticate',
      maxAgeSeconds: 900,
    });
    const { browser, path } = writing;
    browser.keep(setup.login.logIn({ accounts, userId: 'user-2', authTime: now }));
    expect((await browser.open(path)).status).to.equal(403);
    browser.keep(setup.login.logIn({ accounts, authTime: now }));
    expect((await browser.open(path)).status).to.equal(200);
  });

  it('asks for a new login if the page was open for long', async () => {
    const accounts: HostUser['accounts'] = [ownAccount(setup)];
    const authTime = new Date(setup.clock.now().getTime() - 10 * MINUTE_MS);
    const { answer, browser } = await atConsent(setup, {}, { accounts, authTime });
    setup.clock.advance(6 * MINUTE_MS);
    const late = await answer({ ...YES, scope: ['charges:write'] });
    expect([late.status, late.text.includes('you have to log in again')]).to.deep.equal([
      200,
      true,
    ]);
    const again = /<a href="([^"]+)">Continue to the login/.exec(late.text)?.[1] ?? '';
    const { headers } = await browser.open(again.replaceAll('&amp;', '&'));
    expect(headers.location).to.match(/^\/login/);
    const back = setup.login.visits.at(-1)?.returnTo ?? '';
    browser.keep(setup.login.logIn({ accounts, authTime: setup.clock.now() }));
    const { text } = await browser.open(back);
    expect([...text.matchAll(/value="([^"]+)" checked/g)].map(([, scope]) => scope)).to.deep.equal([
      'charges:write',
    ]);
    const { grants } = await countRows(setup.databaseUrl);
    expect(grants).to.equal(0);
  });
});
